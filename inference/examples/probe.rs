use frlm_inference::mistral::*; use frlm_inference::*;
#[tokio::main] async fn main() {
 let a: Vec<String> = std::env::args().collect();
 let b = if a[2]=="0" {Batching::Engines(1)} else {Batching::Batch(a[2].parse().unwrap())};
 let m = MistralModel::load(MistralConfig{batching:b, ..MistralConfig::new(&a[1])}).await.unwrap();
 let p = |i: usize| GenerationRequest::greedy(if a[3]=="same" { format!("copy status, user\n00{i} order 400{i} by user{i} amount 3 shipped") } else {format!("copy status, user\n00{i} order 400{i} by user{} amount {} shipped", "1".repeat(i), "7".repeat(i*2+1))}, 24);
 for i in 0..4 { println!("alone {i} {:?}", m.generate(p(i)).await.map(|x| (x.text, x.usage))); }
 for (i,x) in futures::future::join_all((0..4).map(|i| m.generate(p(i)))).await.into_iter().enumerate() { println!("together {i} {:?}", x.map(|x| x.text)); }
 let c = |c| GenerationRequest{constraint:Some(c), ..p(1)};
 println!("{:?}", m.generate(c(Constraint::Regex("(yes|no) [0-9]{3}".into()))).await.map(|x| (x.text,x.finish)));
 println!("{:?}", m.generate(c(Constraint::Lark("start: \"left\" | \"right\"".into()))).await.map(|x| (x.text,x.finish)));
 println!("{:?}", m.generate(p(1)).await.map(|x| (x.text,x.finish, x.logprobs.iter().map(|l| (l.token.clone(), l.logprob)).collect::<Vec<_>>())));
}
