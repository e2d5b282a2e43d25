//! Documents as programs send them: in one string with the question, in the system message, and uploaded before it.

use reqwest::header::CONTENT_TYPE;

use super::*;

/// Nobody is at this relay: code answers alone.
const ALONE: &str = "relays = ['ws://127.0.0.1:1']\n";
const BOUNDARY: &str = "----boundary";

impl Endpoint {
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn say(&self, messages: Value) -> Value {
        body(self.post("/v1/chat/completions", &json!({ "model": "frlm", "messages": messages })).await).await
    }

    async fn upload(&self, name: &str, content: &str) -> Value {
        let form = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n--{BOUNDARY}\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/plain\r\n\r\n\
             {content}\r\n--{BOUNDARY}--\r\n"
        );
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = self.client.post(self.url("/v1/files")).header(CONTENT_TYPE, kind).body(form);
        body(request.send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }
}

fn content(answer: &Value) -> &str {
    answer["choices"][0]["message"]["content"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_one_string_with_its_document_is_answered() {
    let endpoint = Endpoint::start(ALONE).await;
    let orders = orders();
    let rule = "-".repeat(21);
    let llama_index = format!(
        "Context information is below.\n{rule}\n{orders}\n{rule}\nGiven the context information and not prior knowledge, \
         answer the query.\nQuery: {BY_CODE}\nAnswer: "
    );
    let open_webui = format!(
        "### Task:\nRespond to the user query using the provided context.\n\n<context>\n<source id=\"1\" \
         name=\"orders.log\">{orders}</source>\n</context>\n\n{BY_CODE}"
    );
    for (string, name) in [
        (format!("{orders}\n\n{BY_CODE}"), "text-1.txt"),
        (format!("{orders}\nQuestion: {BY_CODE}"), "text-1.txt"),
        (llama_index, "text-1.txt"),
        (open_webui, "orders.log"),
    ] {
        let answer = endpoint.say(json!([{ "role": "user", "content": string }])).await;
        assert!(content(&answer).starts_with("8 "), "{answer}");
        assert_eq!(answer["frlm"]["question"], BY_CODE);
        assert_eq!(answer["frlm"]["documents"], json!([name]));
        assert_eq!(answer["frlm"]["citations"][0]["file"], name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_the_system_message_and_a_prompt_are_read_too() {
    let endpoint = Endpoint::start(ALONE).await;
    let system = format!("Use the following context to answer the question.\n\n{}", orders());
    let messages = json!([{ "role": "system", "content": system }, { "role": "user", "content": BY_CODE }]);
    let answer = endpoint.say(messages).await;
    assert!(content(&answer).starts_with("8 "), "{answer}");
    let prompt =
        json!({ "prompt": format!("{}\n\nQuestion: {BY_CODE}\nAnswer:", orders()), "max_tokens": 100 });
    let answer = body(endpoint.post("/v1/completions", &prompt).await).await;
    assert!(answer["choices"][0]["text"].as_str().unwrap().starts_with("8 "), "{answer}");
    assert_eq!(
        (&answer["object"], &answer["frlm"]["question"]),
        (&json!("text_completion"), &json!(BY_CODE))
    );
    let rating = json!({ "run_id": answer["id"], "thumbs_up": true });
    assert_eq!(endpoint.post("/v1/feedback", &rating).await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_uploaded_file_is_asked_about_by_its_id_until_it_is_deleted() {
    let endpoint = Endpoint::start(ALONE).await;
    let file = endpoint.upload("../orders.log", &orders()).await;
    let id = file["id"].as_str().unwrap().to_owned();
    assert_eq!((&file["object"], &file["filename"]), (&json!("file"), &json!("../orders.log")));
    assert_eq!((&file["bytes"], &file["purpose"]), (&json!(orders().len()), &json!("user_data")));
    assert!(file["expires_at"].as_u64() > file["created_at"].as_u64(), "{file}");
    let other = endpoint.upload("b.log", "b").await;
    let list = body(endpoint.get("/v1/files?limit=1&order=asc").await).await;
    assert_eq!((&list["data"][0], &list["has_more"]), (&file, &json!(true)));
    let list = body(endpoint.get(&format!("/v1/files?order=asc&after={id}")).await).await;
    assert_eq!((&list["data"], &list["has_more"]), (&json!([other]), &json!(false)));
    assert_eq!(body(endpoint.get(&format!("/v1/files/{id}")).await).await, file);
    let kept = endpoint.get(&format!("/v1/files/{id}/content")).await;
    assert_eq!(kept.text().await.unwrap(), orders());

    let question = json!([{ "role": "user", "content": [
        { "type": "text", "text": BY_CODE },
        { "type": "file", "file": { "file_id": id } },
    ] }]);
    let answer = endpoint.say(question.clone()).await;
    assert!(content(&answer).starts_with("8 "), "{answer}");
    assert_eq!(answer["frlm"]["citations"][0]["file"], "orders.log");

    let deleted = endpoint.client.delete(endpoint.url(&format!("/v1/files/{id}"))).send().await.unwrap();
    assert_eq!(body(deleted).await, json!({ "id": id, "object": "file", "deleted": true }));
    for path in [format!("/v1/files/{id}"), "/v1/files/..%2Fwallet/content".to_owned()] {
        assert_eq!(endpoint.get(&path).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let error = endpoint.say(question).await;
    assert_eq!(error["error"]["param"], "messages[0].content[1].file.file_id");
    assert!(error["error"]["message"].as_str().unwrap().contains("was deleted"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_read_bounds_the_answer_and_alone_is_refused() {
    let endpoint = Endpoint::start(ALONE).await;
    let file = |name: &str, bytes: &[u8]| {
        let data = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
        json!({ "type": "file", "file": { "filename": name, "file_data": data } })
    };
    let scan = || file("scan.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let question = || json!({ "type": "text", "text": BY_CODE });
    let orders = file("orders.log", orders().as_bytes());
    let answer = endpoint.say(json!([{ "role": "user", "content": [question(), scan(), orders] }])).await;
    let told = content(&answer);
    assert!(
        told.starts_with("At least 8 ") && told.contains("nothing about 1 file:\n- scan.png: a PNG picture"),
        "{told}"
    );
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("scan.png: not read, a PNG picture"), "{warning}");
    assert_eq!(
        (&answer["frlm"]["coverage"], &answer["frlm"]["unread"][0]["path"]),
        (&json!(0.5), &json!("scan.png"))
    );

    let refused = endpoint.say(json!([{ "role": "user", "content": [question(), scan()] }])).await;
    let why = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(why.contains("  scan.png: not read, a PNG picture") && !why.contains("asked-"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_cannot_be_honoured_are_named_before_a_run_begins() {
    let endpoint = Endpoint::start(ALONE).await;
    for (field, value) in [("n", json!(2)), ("response_format", json!({ "type": "json_object" }))] {
        let mut request = over_orders(BY_CODE);
        request[field] = value;
        let response = endpoint.post("/v1/chat/completions", &request).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert_eq!(body(response).await["error"]["param"], field);
    }
    let mut request = over_orders(BY_CODE);
    request["stop"] = json!(" ");
    let answer = body(endpoint.post("/v1/chat/completions", &request).await).await;
    assert_eq!(content(&answer), "8");
    let runs = Store::open(&endpoint.home().store()).unwrap().list(10).unwrap();
    assert_eq!(runs.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_too_long_is_told_the_limit() {
    let endpoint = Endpoint::start(ALONE).await;
    let long = json!({ "messages": [{ "role": "user", "content": "a".repeat(40 * 1024 * 1024) }] });
    let response = endpoint.post("/v1/chat/completions", &long).await;
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let error = body(response).await;
    let words = error["error"]["message"].as_str().unwrap();
    assert!(words.contains("32 MiB") && words.contains("/v1/files"), "{error}");
    assert_eq!(error["error"]["code"], "request_too_large");
}
