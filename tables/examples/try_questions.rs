use frlm_tables::{Answer, LoadOptions, Table};
use std::path::Path;
fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(Path::new(&folder).join("q.tsv")).unwrap();
    let mut last = (String::new(), None::<Table>);
    for line in text.lines() {
        let mut cells = line.split('\t');
        let (Some(file), Some(question)) = (cells.next(), cells.next()) else { continue };
        let expected = cells.next().unwrap_or("");
        if last.0 != file {
            last = (
                file.to_owned(),
                Some(Table::load_file(&Path::new(&folder).join(file), &LoadOptions::default()).unwrap()),
            );
        }
        let table = last.1.as_ref().unwrap();
        let short = |t: &str| t.chars().take(110).collect::<String>();
        match table.ask(question) {
            Answer::Unique(a) => println!(
                "{file} | {question} | [{expected}]\n     {:.2} {} = {} {:?}",
                a.confidence,
                a.reading,
                short(&a.text()),
                a.notes
            ),
            Answer::Ambiguous(all) => {
                println!("{file} | {question} | [{expected}]\n     AMBIGUOUS");
                for a in all {
                    println!("        {} = {}", a.reading, short(&a.text()));
                }
            }
            Answer::Asked(a) => println!("{file} | {question}\n     ASKED {}", a.question),
            Answer::Refused(r) => println!("{file} | {question} | [{expected}]\n     REFUSED {}", r.why),
        }
    }
}
