//! Stretches and parts of times in SQL.

use super::ast::{Bucket, Part};
use crate::column::Kind;

pub(super) fn bucket_sql(name: &str, bucket: Bucket, kind: &Kind) -> String {
    match bucket {
        Bucket::Year => format!("substr({name}, 1, 4)"),
        Bucket::Quarter => {
            format!("substr({name}, 1, 4) || '-Q' || ((CAST(substr({name}, 6, 2) AS INTEGER) + 2) / 3)")
        }
        Bucket::Month => format!("substr({name}, 1, 7)"),
        Bucket::Week => format!("iso_week({name})"),
        Bucket::Day => format!("substr({name}, 1, 10)"),
        Bucket::Hour => format!("substr({name}, 1, 13) || ':00'"),
        Bucket::Minute => format!("substr({name}, 1, 16)"),
        Bucket::Weekday => part_sql(name, Part::Weekday, kind),
        Bucket::HourOfDay => part_sql(name, Part::Hour, kind),
        Bucket::MonthOfYear => part_sql(name, Part::Month, kind),
    }
}

pub(super) fn part_sql(name: &str, part: Part, kind: &Kind) -> String {
    match part {
        Part::Year => format!("CAST(substr({name}, 1, 4) AS INTEGER)"),
        Part::Month => format!("CAST(substr({name}, 6, 2) AS INTEGER)"),
        Part::Quarter => format!("((CAST(substr({name}, 6, 2) AS INTEGER) + 2) / 3)"),
        Part::Day => format!("CAST(substr({name}, 9, 2) AS INTEGER)"),
        Part::Weekday => format!("((CAST(strftime('%w', {name}) AS INTEGER) + 6) % 7 + 1)"),
        Part::Hour if *kind == Kind::Time => format!("CAST(substr({name}, 1, 2) AS INTEGER)"),
        Part::Hour => format!("CAST(substr({name}, 12, 2) AS INTEGER)"),
    }
}
