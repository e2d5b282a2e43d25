use frlm_tables::{Answer, LoadOptions, Table};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let table = Table::load_file(std::path::Path::new(&args[0]), &LoadOptions::default()).unwrap();
    if args.len() == 1 {
        for c in table.columns() { println!("{} {:?} missing {} misfits {} doubt {:?} notes {:?} cur {:?}", c.name, c.kind, c.missing, c.misfits, c.doubt, c.notes, c.currency_column); }
        println!("{:?} {:?}", table.notes(), table.flaws());
    }
    for q in &args[1..] {
        match table.ask(q) {
            Answer::Unique(a) => println!("{q}\n  {} | {} | {} | {:?}\n  {}", a.confidence, a.reading, a.text(), a.notes, a.sql()),
            Answer::Refused(r) => println!("{q}\n  REFUSED {}", r.why),
            Answer::Ambiguous(l) => for a in l { println!("{q}\n  AMB {} | {} | {}", a.confidence, a.reading, a.text()) },
            Answer::Asked(a) => println!("{q}\n  ASKED {}", a.question),
        }
    }
}
