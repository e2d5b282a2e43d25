//! A query as JSON, in the words of a table's columns: what a model is asked to write, and nothing else is read.

mod values;

use std::cell::RefCell;
use std::collections::BTreeSet;

use frlm_util::text::collapse_whitespace;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ast::{
    Aggregate, Bucket, Comparison, Filter, Function, Having, Key, Limit, Literal, Order, Output, Part, Query,
    Source, TextTest,
};
use super::computed::{self, WrittenColumn};
use crate::column::Kind;
use crate::table::Table;
use crate::value::unit::measure_of;
use crate::words;
use values::number;

/// Bytes of a query.
const LONGEST_QUERY: usize = 8_192;

/// Characters of what a text is to mean.
const LONGEST_MEANING: usize = 120;

/// Most conditions inside each other.
const MAX_DEPTH: usize = 8;

/// A query, or why there is none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Why the table does not answer the question.
    #[serde(default)]
    refuse: Option<String>,
    #[serde(default)]
    compute: Vec<WrittenColumn>,
    #[serde(default)]
    rows: Rows,
    #[serde(default, rename = "where")]
    filter: Option<Condition>,
    #[serde(default)]
    group_by: Vec<WrittenKey>,
    #[serde(default)]
    select: Vec<WrittenOutput>,
    #[serde(default)]
    having: Vec<WrittenHaving>,
    #[serde(default)]
    order_by: Vec<WrittenOrder>,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    limit_in_each: Vec<WrittenKey>,
    #[serde(default)]
    distinct: bool,
    #[serde(default)]
    count_results: bool,
    #[serde(default)]
    unit: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Rows {
    #[default]
    Records,
    Lines,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare { column: String, is: Sign, value: Value },
    CompareColumns { column: String, is: Sign, other: String },
    In { column: String, values: Vec<Value> },
    Between { column: String, from: Value, to: Value },
    Text { column: String, test: WrittenTest, text: String },
    Line { test: WrittenTest, text: String },
    Missing { column: String },
    OtherType { column: String },
    Part { column: String, part: WrittenPart, values: Vec<i64> },
    Means { column: String, says: String },
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum Sign {
    #[serde(rename = "=")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
    #[serde(rename = ">")]
    Greater,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = "<=")]
    AtMost,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenTest {
    Contains,
    Word,
    StartsWith,
    EndsWith,
    Matches,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenPart {
    Year,
    Quarter,
    Month,
    Day,
    Weekday,
    Hour,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenKey {
    Column(String),
    Bucket { column: String, by: WrittenBucket },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenBucket {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Weekday,
    HourOfDay,
    MonthOfYear,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenOutput {
    Key(WrittenKey),
    Aggregate(WrittenAggregate),
    Difference { difference: [WrittenAggregate; 2] },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAggregate {
    function: WrittenFunction,
    #[serde(default)]
    column: Option<String>,
    #[serde(default)]
    percent: Option<u8>,
    #[serde(default)]
    only: Option<Condition>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenFunction {
    Count,
    CountDistinct,
    Sum,
    Average,
    Median,
    Percentile,
    Min,
    Max,
    StandardDeviation,
    Range,
    Share,
    PerValue,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenHaving {
    of: WrittenAggregate,
    is: Sign,
    value: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOrder {
    output: usize,
    #[serde(default)]
    descending: bool,
}

/// What a model wrote.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A query of this table, or of the wider one with the columns that it computes; and the unit in which its lengths of time or
    /// sizes are wanted.
    Query { query: Box<Query>, wider: Option<Box<Table>>, unit: Option<String> },
    /// It says that the table does not answer the question.
    Refused(String),
    /// It is no query of this table, and why.
    Unreadable(String),
}

/// The form that is asked for, as JSON Schema.
pub(crate) fn schema() -> Value {
    let text = json!({"type": "string"});
    let sign = json!({"enum": ["=", "!=", ">", "<", ">=", "<="]});
    let matching = json!({"enum": ["contains", "word", "starts_with", "ends_with", "matches"]});
    let value = json!({"type": ["string", "number", "boolean"]});
    let one = |name: &str, inner: Value| json!({"type": "object", "properties": {name: inner}, "required": [name], "additionalProperties": false});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let condition = json!({"$ref": "#/$defs/condition"});
    let many = json!({"type": "array", "items": condition, "minItems": 1});
    let aggregate = json!({"$ref": "#/$defs/aggregate"});
    let keys = json!({"type": "array", "items": {"anyOf": [text, object(
        json!({"column": text, "by": {"enum": ["year", "quarter", "month", "week", "day", "hour", "minute", "weekday", "hour_of_day", "month_of_year"]}}),
        &["column", "by"],
    )]}});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "refuse": text,
            "compute": computed::schema(),
            "rows": {"enum": ["records", "lines"]},
            "where": condition,
            "group_by": keys,
            "select": {"type": "array", "items": {"anyOf": [text, aggregate, one("difference", json!({"type": "array", "items": aggregate, "minItems": 2, "maxItems": 2}))]}},
            "having": {"type": "array", "items": object(json!({"of": aggregate, "is": sign, "value": {"type": "number"}}), &["of", "is", "value"])},
            "order_by": {"type": "array", "items": object(json!({"output": {"type": "integer"}, "descending": {"type": "boolean"}}), &["output"])},
            "limit": {"type": "integer", "minimum": 1},
            "limit_in_each": keys,
            "distinct": {"type": "boolean"},
            "count_results": {"type": "boolean"},
            "unit": text,
        },
        "$defs": {
            "aggregate": object(json!({
                "function": {"enum": ["count", "count_distinct", "sum", "average", "median", "percentile", "min", "max", "standard_deviation", "range", "share", "per_value"]},
                "column": text, "percent": {"type": "integer"}, "only": condition,
            }), &["function"]),
            "condition": {"anyOf": [
                one("all", many.clone()), one("any", many), one("not", condition),
                one("compare", object(json!({"column": text, "is": sign, "value": value}), &["column", "is", "value"])),
                one("compare_columns", object(json!({"column": text, "is": sign, "other": text}), &["column", "is", "other"])),
                one("in", object(json!({"column": text, "values": {"type": "array", "items": value, "minItems": 1}}), &["column", "values"])),
                one("between", object(json!({"column": text, "from": value, "to": value}), &["column", "from", "to"])),
                one("text", object(json!({"column": text, "test": matching, "text": text}), &["column", "test", "text"])),
                one("line", object(json!({"test": matching, "text": text}), &["test", "text"])),
                one("missing", object(json!({"column": text}), &["column"])),
                one("other_type", object(json!({"column": text}), &["column"])),
                one("means", object(json!({"column": text, "says": text}), &["column", "says"])),
                one("part", object(json!({"column": text, "part": {"enum": ["year", "quarter", "month", "day", "weekday", "hour"]}, "values": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}), &["column", "part", "values"])),
            ]},
        },
    })
}

/// The first JSON object in a text, and what it says; the error says why it is no query.
fn object(text: &str) -> Result<(&str, Written), String> {
    let nothing = || "there is no JSON object".to_owned();
    let text = &text[text.find('{').ok_or_else(nothing)?..];
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Written>();
    let written = stream.next().ok_or_else(nothing)?.map_err(|error| error.to_string())?;
    Ok((&text[..stream.byte_offset()], written))
}

/// Looks at what a model wrote. Nothing is run and no column is computed, so that it takes no time; of a query with computed
/// columns it does not see whether they can be.
pub(crate) fn look_at(table: &Table, text: &str) -> PlannedReply {
    let (text, written) = match object(text) {
        Ok((text, _)) if text.len() > LONGEST_QUERY => {
            return PlannedReply::Unreadable(format!("it has more than {LONGEST_QUERY} bytes"));
        }
        Ok(object) => object,
        Err(why) => return PlannedReply::Unreadable(why),
    };
    if let Some(why) = written.refuse {
        return PlannedReply::Refused(why);
    }
    let query = text.to_owned();
    if !written.compute.is_empty() {
        return if text.contains("\"means\"") {
            PlannedReply::Unreadable("a query that asks what texts mean computes no columns".to_owned())
        } else {
            PlannedReply::Query { query, meaning: None }
        };
    }
    let reader = Reader { table, meant: &BTreeSet::new(), meaning: RefCell::default() };
    match reader.query(written) {
        Ok(_) => PlannedReply::Query { query, meaning: reader.meaning.into_inner() },
        Err(why) => PlannedReply::Unreadable(why),
    }
}

/// Reads what a model wrote: the first JSON object in it. `meant`: the first lines of the records that mean what it asks for.
pub(crate) fn read(table: &Table, text: &str, meant: &BTreeSet<u32>) -> Reply {
    let mut written = match object(text) {
        Ok((_, written)) => written,
        Err(why) => return Reply::Unreadable(why),
    };
    if let Some(why) = written.refuse {
        return Reply::Refused(why);
    }
    let wider = match computed::wider(table, std::mem::take(&mut written.compute)) {
        Ok(wider) => wider,
        Err(why) => return Reply::Unreadable(why),
    };
    let unit = written.unit.take();
    if let Some(unit) = unit.as_ref().filter(|unit| measure_of(unit).is_none()) {
        return Reply::Unreadable(format!("{unit} is no unit of time or of data"));
    }
    let reader = Reader { table: wider.as_ref().unwrap_or(table), meant, meaning: RefCell::default() };
    match reader.query(written) {
        Ok(query) => Reply::Query { query: Box::new(query), wider: wider.map(Box::new), unit },
        Err(why) => Reply::Unreadable(why),
    }
}

/// What a model has replied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedReply {
    /// A query of the table.
    Query {
        /// The reply without what stands around the query.
        query: String,
        /// What readers must tell before it can be run.
        meaning: Option<Meaning>,
    },
    /// The table does not answer the question, and why.
    Refused(String),
    /// No query of the table, and why.
    Unreadable(String),
}

/// What the text of a column is to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The column's name.
    pub column: String,
    /// What its text is to mean, in words.
    pub says: String,
}

struct Reader<'a> {
    table: &'a Table,
    meant: &'a BTreeSet<u32>,
    /// The one meaning that the query asks for.
    meaning: RefCell<Option<Meaning>>,
}

impl Reader<'_> {
    fn query(&self, written: Written) -> Result<Query, String> {
        let groups: Vec<Key> = written.group_by.iter().map(|key| self.key(key)).collect::<Result<_, _>>()?;
        let lines = matches!(written.rows, Rows::Lines);
        let mut outputs: Vec<Output> = Vec::new();
        for output in written.select {
            outputs.push(self.output(output, &groups)?);
        }
        // Groups that are not selected are shown first: a number without its group says nothing.
        let shows = |index: usize| outputs.contains(&Output::Key(index));
        let unshown: Vec<Output> =
            (0..groups.len()).filter(|index| !shows(*index)).map(Output::Key).collect();
        let shift = unshown.len();
        outputs.splice(0..0, unshown);
        if outputs.is_empty() && lines {
            outputs.push(Output::Line);
        }
        if outputs.is_empty() {
            return Err("nothing is selected".to_owned());
        }
        let mut order = Vec::new();
        for WrittenOrder { output, descending } in written.order_by {
            let output = output + shift;
            if output >= outputs.len() {
                return Err("order_by names an output that is not selected".to_owned());
            }
            order.push(Order { output, descending });
        }
        let having = written
            .having
            .into_iter()
            .map(|having| {
                let value = number(&having.value).ok_or("having takes a number")?;
                Ok(Having { aggregate: self.aggregate(having.of)?, comparison: having.is.into(), value })
            })
            .collect::<Result<_, String>>()?;
        let limited_in: Vec<Key> =
            written.limit_in_each.iter().map(|key| self.key(key)).collect::<Result<_, _>>()?;
        if !limited_in.is_empty() && (order.is_empty() || written.limit.is_none()) {
            return Err("limit_in_each needs order_by and limit".to_owned());
        }
        let with_ties = !order.is_empty();
        let query = Query {
            source: if lines { Source::Lines } else { Source::Records },
            filter: written.filter.map(|filter| self.condition(filter, 0)).transpose()?,
            groups,
            outputs,
            having,
            order,
            limit: written.limit.filter(|count| *count > 0).map(|count| Limit { count, with_ties }),
            distinct: written.distinct,
            limited_in,
            is_counted: written.count_results,
        };
        if lines && self.meaning.borrow().is_some() {
            return Err("what texts mean is asked of records, and not of lines".to_owned());
        }
        Ok(self.with_currencies_apart(query))
    }

    fn column(&self, name: &str) -> Result<usize, String> {
        let columns = &self.table.columns;
        let exact = columns.iter().position(|column| column.name == name);
        let folded = || columns.iter().position(|column| words::fold(&column.name) == words::fold(name));
        exact.or_else(folded).ok_or_else(|| format!("no column is called {name}"))
    }

    fn key(&self, key: &WrittenKey) -> Result<Key, String> {
        Ok(match key {
            WrittenKey::Column(name) => Key::Column(self.column(name)?),
            WrittenKey::Bucket { column, by } => {
                let column = self.column(column)?;
                if !self.table.columns[column].is_moment() {
                    return Err(format!("{} holds no times", self.table.columns[column].name));
                }
                Key::Bucket(column, (*by).into())
            }
        })
    }

    fn output(&self, output: WrittenOutput, groups: &[Key]) -> Result<Output, String> {
        Ok(match output {
            // `{"column":"day","by":"month"}`, as the group was written, is that group.
            WrittenOutput::Key(WrittenKey::Bucket { column, by }) => {
                let key = Key::Bucket(self.column(&column)?, by.into());
                let place = groups.iter().position(|group| *group == key);
                Output::Key(place.ok_or_else(|| format!("{column} is in no such group"))?)
            }
            WrittenOutput::Key(WrittenKey::Column(name)) => {
                let column = self.column(&name)?;
                let is_key =
                    |key: &Key| matches!(key, Key::Column(other) | Key::Bucket(other, _) if *other == column);
                match groups.iter().position(is_key) {
                    Some(index) => Output::Key(index),
                    None if groups.is_empty() => Output::Column(column),
                    None => return Err(format!("{name} is in no group")),
                }
            }
            WrittenOutput::Aggregate(aggregate) => Output::Aggregate(self.aggregate(aggregate)?),
            WrittenOutput::Difference { difference: [of, less] } => {
                Output::Difference { of: self.aggregate(of)?, less: self.aggregate(less)?, is_signed: true }
            }
        })
    }

    fn aggregate(&self, written: WrittenAggregate) -> Result<Aggregate, String> {
        use WrittenFunction as F;
        let column = written.column.as_deref().map(|name| self.column(name)).transpose()?;
        let only = written.only.map(|only| self.condition(only, 0)).transpose()?;
        let function = match written.function {
            F::Count => Function::Count,
            F::CountDistinct => Function::CountDistinct,
            F::Sum => Function::Sum,
            F::Average => Function::Average,
            F::Median => Function::Median,
            F::Percentile => {
                let percent = written.percent.filter(|percent| (1..=99).contains(percent));
                Function::Percentile(percent.ok_or("a percentile needs a percent from 1 to 99")?)
            }
            F::Min => Function::Min,
            F::Max => Function::Max,
            F::StandardDeviation => Function::StandardDeviation,
            F::Range => Function::Difference,
            F::Share => Function::Share,
            F::PerValue => Function::PerValue,
        };
        match (&function, column) {
            (Function::Count, _)
            | (Function::Share, None)
            | (Function::CountDistinct | Function::Min | Function::Max | Function::PerValue, Some(_)) => {}
            (_, None) => return Err("a function needs a column".to_owned()),
            (_, Some(column)) => {
                if !self.table.columns[column].is_numeric() {
                    return Err(format!("{} holds no numbers", self.table.columns[column].name));
                }
            }
        }
        if function == Function::Share && only.is_none() {
            return Err("a share needs the condition of which it is the share".to_owned());
        }
        Ok(Aggregate { function, column, only })
    }

    fn condition(&self, condition: Condition, depth: usize) -> Result<Filter, String> {
        if depth > MAX_DEPTH {
            return Err("conditions are too deep inside each other".to_owned());
        }
        let all = |conditions: Vec<Condition>| -> Result<Vec<Filter>, String> {
            if conditions.is_empty() {
                return Err("a list of conditions is empty".to_owned());
            }
            conditions.into_iter().map(|condition| self.condition(condition, depth + 1)).collect()
        };
        Ok(match condition {
            Condition::All(conditions) => Filter::And(all(conditions)?),
            Condition::Any(conditions) => Filter::Or(all(conditions)?),
            Condition::Not(inner) => Filter::Not(Box::new(self.condition(*inner, depth + 1)?)),
            Condition::Compare { column, is, value } => {
                let column = self.column(&column)?;
                let mut spelled = self.literals(column, &value)?;
                match (is, spelled.len()) {
                    (Sign::Equal, 2..) => Filter::In { column, values: spelled },
                    (Sign::NotEqual, 2..) => Filter::Not(Box::new(Filter::In { column, values: spelled })),
                    _ => Filter::Compare { column, comparison: is.into(), value: spelled.remove(0) },
                }
            }
            Condition::CompareColumns { column, is, other } => {
                let (column, other) = (self.column(&column)?, self.column(&other)?);
                Filter::Compare { column, comparison: is.into(), value: Literal::Column(other) }
            }
            Condition::In { column, values } => {
                let column = self.column(&column)?;
                let spelled: Vec<Vec<Literal>> =
                    values.iter().map(|value| self.literals(column, value)).collect::<Result<_, _>>()?;
                Filter::In { column, values: spelled.concat() }
            }
            Condition::Between { column, from, to } => {
                let column = self.column(&column)?;
                let (from, to) = (self.literal(column, &from)?, self.literal(column, &to)?);
                Filter::Between { column, from, to, includes_end: true }
            }
            Condition::Text { column, test, text } => {
                Filter::Text { column: self.column(&column)?, test: test.into(), text }
            }
            Condition::Line { test, text } => Filter::Line { test: test.into(), text },
            Condition::Means { column, says } => {
                let column = self.column(&column)?;
                let says = collapse_whitespace(&says);
                if says.is_empty() || says.chars().count() > LONGEST_MEANING {
                    return Err(format!("what a text means is said in 1 to {LONGEST_MEANING} characters"));
                }
                let meaning = Meaning { column: self.table.columns[column].name.clone(), says: says.clone() };
                if self.meaning.borrow_mut().get_or_insert_with(|| meaning.clone()) != &meaning {
                    return Err("a query asks for one meaning at most".to_owned());
                }
                Filter::Means { column, says, lines: self.meant.clone() }
            }
            Condition::Missing { column } => Filter::Missing(self.column(&column)?),
            Condition::OtherType { column } => Filter::Misfit(self.column(&column)?),
            Condition::Part { column, part, values } => {
                let column = self.column(&column)?;
                if !matches!(self.table.columns[column].kind, Kind::Date | Kind::DateTime { .. } | Kind::Time)
                {
                    return Err(format!("{} holds no times", self.table.columns[column].name));
                }
                Filter::Part { column, part: part.into(), values }
            }
        })
    }
}

macro_rules! same {
    ($written:ty => $meant:ty: $($name:ident),+ $(,)?) => {
        impl From<$written> for $meant {
            fn from(written: $written) -> Self {
                match written {
                    $(<$written>::$name => Self::$name,)+
                }
            }
        }
    };
}

same!(Sign => Comparison: Equal, NotEqual, Greater, Less, AtLeast, AtMost);
same!(WrittenPart => Part: Year, Quarter, Month, Day, Weekday, Hour);
same!(WrittenBucket => Bucket: Year, Quarter, Month, Week, Day, Hour, Minute, Weekday, HourOfDay, MonthOfYear);

impl From<WrittenTest> for TextTest {
    fn from(test: WrittenTest) -> Self {
        match test {
            WrittenTest::Contains => Self::Contains,
            WrittenTest::Word => Self::Word,
            WrittenTest::StartsWith => Self::StartsWith,
            WrittenTest::EndsWith => Self::EndsWith,
            WrittenTest::Matches => Self::Regex,
        }
    }
}
