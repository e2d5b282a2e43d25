//! Columns that a model's query computes of others of the same record: a product, a quotient, days between two moments, a part of a text.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::column::{Column, Kind, Unit};
use crate::sql::functions::compiled;
use crate::table::Table;
use crate::words;

/// Most columns that one query computes.
const MAX_COLUMNS: usize = 4;

/// Decimals of a quotient.
const QUOTIENT_DECIMALS: u32 = 6;

/// A column as a model writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenColumn {
    name: String,
    #[serde(default)]
    product: Option<[String; 2]>,
    #[serde(default)]
    quotient: Option<[String; 2]>,
    #[serde(default)]
    sum: Option<[String; 2]>,
    #[serde(default)]
    difference: Option<[String; 2]>,
    #[serde(default)]
    days: Option<[String; 2]>,
    #[serde(default)]
    part: Option<WrittenPart>,
    #[serde(default, rename = "as")]
    kind: WrittenKind,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPart {
    column: String,
    #[serde(default)]
    before: Option<String>,
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    matching: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenKind {
    #[default]
    Text,
    Number,
}

/// The form of such columns, as JSON Schema.
pub(super) fn schema() -> Value {
    let text = json!({"type": "string"});
    let two = json!({"type": "array", "items": text, "minItems": 2, "maxItems": 2});
    json!({"type": "array", "maxItems": MAX_COLUMNS, "items": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "name": text, "product": two, "quotient": two, "sum": two, "difference": two, "days": two,
            "part": {
                "type": "object",
                "additionalProperties": false,
                "properties": {"column": text, "before": text, "after": text, "matching": text},
                "required": ["column"],
            },
            "as": {"enum": ["text", "number"]},
        },
        "required": ["name"],
    }})
}

/// The table with the columns that are computed; none if there are none.
pub(super) fn wider(table: &Table, columns: Vec<WrittenColumn>) -> Result<Option<Table>, String> {
    if columns.len() > MAX_COLUMNS {
        return Err(format!("more than {MAX_COLUMNS} columns are computed"));
    }
    let mut wider: Option<Table> = None;
    for column in columns {
        let of = wider.as_ref().unwrap_or(table);
        let (kind, sql) = made(of, &column)?;
        let next = of.with_computed(&column.name, kind, sql).map_err(|error| error.to_string())?;
        if next.columns().last().is_none_or(|made| made.name != column.name) {
            return Err(format!("a column is called {} already", column.name));
        }
        wider = Some(next);
    }
    Ok(wider)
}

/// What a column holds, and its values in SQL.
fn made(table: &Table, written: &WrittenColumn) -> Result<(Kind, String), String> {
    let WrittenColumn { name, product, quotient, sum, difference, days, part, kind } = written;
    let pairs = [(product, '*'), (quotient, '/'), (sum, '+'), (difference, '-')];
    let mut asked = pairs.into_iter().filter_map(|(pair, sign)| Some((pair.as_ref()?, sign)));
    let one = || format!("{name} is made in more ways than one, or in none");
    match (asked.next(), asked.next(), days, part) {
        (Some((pair, sign)), None, None, None) => of_numbers(table, pair, sign),
        (None, None, Some([from, to]), None) => {
            let [from, to] = [column(table, from)?, column(table, to)?];
            if !from.is_moment() || !to.is_moment() {
                return Err(format!("{} and {} are not both moments", from.name, to.name));
            }
            let is_dates = from.kind == Kind::Date && to.kind == Kind::Date;
            let sql = format!("round(julianday({}) - julianday({}), 4)", to.sql(), from.sql());
            Ok((Kind::Duration { unit: "d", scale: if is_dates { 0 } else { 4 } }, sql))
        }
        (None, None, None, Some(part)) => of_text(table, part, *kind),
        _ => Err(one()),
    }
}

fn of_numbers(table: &Table, [left, right]: &[String; 2], sign: char) -> Result<(Kind, String), String> {
    let [left, right] = [column(table, left)?, column(table, right)?];
    if sign == '-' && left.kind == Kind::Time && right.kind == Kind::Time {
        // How long it is from one time of a day to a later one.
        let seconds = |column: &Column| format!("unixepoch('2000-01-01 ' || {})", column.sql());
        let sql = format!("({} - {})", seconds(left), seconds(right));
        return Ok((Kind::Duration { unit: "s", scale: 0 }, sql));
    }
    for of in [left, right] {
        if !of.is_numeric() {
            return Err(format!("{} holds no numbers", of.name));
        }
    }
    let unit = match &left.kind {
        Kind::Number { unit, .. } if sign != '/' => unit.clone(),
        _ => Unit::None,
    };
    let (left_scale, right_scale) = (left.scale().unwrap_or(6), right.scale().unwrap_or(6));
    let (scale, sql) = match sign {
        '/' => (
            QUOTIENT_DECIMALS,
            format!("round(1.0 * {} / nullif({}, 0), {QUOTIENT_DECIMALS})", left.sql(), right.sql()),
        ),
        '*' => {
            let scale = (left_scale + right_scale).min(QUOTIENT_DECIMALS);
            (scale, format!("round({} * {}, {scale})", left.sql(), right.sql()))
        }
        _ => {
            let scale = left_scale.max(right_scale);
            (scale, format!("round({} {sign} {}, {scale})", left.sql(), right.sql()))
        }
    };
    Ok((Kind::Number { scale: Some(scale), unit }, sql))
}

fn of_text(table: &Table, part: &WrittenPart, kind: WrittenKind) -> Result<(Kind, String), String> {
    let own = column(table, &part.column)?;
    let sql = own.sql();
    let text = match (&part.before, &part.after, &part.matching) {
        (Some(before), None, None) if !before.is_empty() => {
            let before = quoted(before);
            format!(
                "CASE WHEN instr({sql}, {before}) > 0 THEN trim(substr({sql}, 1, instr({sql}, {before}) - 1)) END"
            )
        }
        (None, Some(after), None) if !after.is_empty() => {
            let length = after.chars().count();
            let after = quoted(after);
            format!(
                "CASE WHEN instr({sql}, {after}) > 0 THEN trim(substr({sql}, instr({sql}, {after}) + {length})) END"
            )
        }
        (None, None, Some(pattern)) => {
            compiled(pattern).map_err(|error| format!("the pattern cannot be read: {error}"))?;
            format!("text_part({sql}, {})", quoted(pattern))
        }
        _ => return Err("a part is before a text, after one, or matches a pattern".to_owned()),
    };
    Ok(match kind {
        WrittenKind::Text => (Kind::Text { is_enumeration: false }, text),
        WrittenKind::Number => (
            Kind::Number { scale: None, unit: Unit::None },
            format!("CAST(nullif(text_part({text}, '-?[0-9]+([.][0-9]+)?'), '') AS REAL)"),
        ),
    })
}

/// A text in SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace('\0', ""))
}

fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, String> {
    let columns = table.columns();
    let folded = || columns.iter().find(|column| words::fold(&column.name) == words::fold(name));
    columns
        .iter()
        .find(|column| column.name == name)
        .or_else(folded)
        .ok_or_else(|| format!("no column is called {name}"))
}

#[cfg(test)]
mod tests {
    use crate::{Answer, LoadOptions, Table};

    fn first(table: &Table, reply: &str) -> String {
        match table.ask_planned(reply) {
            Answer::Unique(answer) => {
                assert!(answer.confidence < 0.8);
                answer.outcome.rows.iter().map(|row| row[0].to_string()).collect::<Vec<_>>().join(", ")
            }
            other => panic!("{reply}: {other:?}"),
        }
    }

    fn shop() -> Table {
        let text = "item,price,stock,ordered,arrived,mail\nA,1.50,4,2026-03-01,2026-03-05,ada@x.org\nB,2.00,10,2026-03-02,2026-03-03,bob@y.org\n\
                    C,10.00,,2026-03-02,,cem@x.org\n";
        Table::load("shop.csv", text, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn a_models_query_multiplies_divides_and_takes_parts() {
        let shop = shop();
        let worth = r#"{"compute":[{"name":"worth","product":["price","stock"]}],"select":[{"function":"sum","column":"worth"}]}"#;
        assert_eq!(first(&shop, worth), "26");
        let each = r#"{"compute":[{"name":"each","quotient":["price","stock"]}],"select":["item"],"where":{"compare":{"column":"each","is":">","value":0.3}}}"#;
        assert_eq!(first(&shop, each), "A");
        let two = r#"{"compute":[{"name":"worth","product":["price","stock"]},{"name":"half","quotient":["worth","stock"]}],"select":["item","half"],"where":{"compare":{"column":"worth","is":">","value":10}}}"#;
        assert_eq!(first(&shop, two), "B");
        let days = r#"{"compute":[{"name":"took","days":["ordered","arrived"]}],"select":[{"function":"max","column":"took"}]}"#;
        assert_eq!(first(&shop, days), "4");
        let shifts = Table::load(
            "shifts.csv",
            "who,from,to\nAda,08:00,09:30\nBob,10:15,10:45\n",
            &LoadOptions::default(),
        )
        .unwrap();
        let took = r#"{"compute":[{"name":"took","difference":["to","from"]}],"select":[{"function":"average","column":"took"}],"unit":"min"}"#;
        assert_eq!(first(&shifts, took), "60");
        let domain = r#"{"compute":[{"name":"domain","part":{"column":"mail","after":"@"}}],"select":["domain",{"function":"count"}],"group_by":["domain"],
            "order_by":[{"output":1,"descending":true}]}"#;
        assert_eq!(first(&shop, domain), "x.org, y.org");
        let year = r#"{"compute":[{"name":"name","part":{"column":"mail","matching":"^(\\w+)@"}}],"select":["name"],"where":{"text":{"column":"name","test":"starts_with","text":"b"}}}"#;
        assert_eq!(first(&shop, year), "bob");
    }

    #[test]
    fn what_cannot_be_computed_is_refused_and_says_why() {
        for (computed, why) in [
            (r#"{"name":"x","product":["price","item"]}"#, "item holds no numbers"),
            (r#"{"name":"x","product":["price","town"]}"#, "no column is called town"),
            (r#"{"name":"x"}"#, "in more ways than one, or in none"),
            (r#"{"name":"price","sum":["price","stock"]}"#, "a column is called price already"),
            (r#"{"name":"x","part":{"column":"mail","matching":"("}}"#, "the pattern cannot be read"),
            (r#"{"name":"x","days":["ordered","price"]}"#, "are not both moments"),
        ] {
            let reply = format!(r#"{{"compute":[{computed}],"select":["item"]}}"#);
            let Answer::Refused(refusal) = shop().ask_planned(&reply) else { panic!("{computed}") };
            assert!(refusal.why.contains(why), "{computed}: {}", refusal.why);
        }
    }
}
