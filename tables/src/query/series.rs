//! A result that is a series: one number for each of several groups, which a chart shows better than a list.

use super::outcome::{Cell, Outcome};

/// Most groups that can be told apart in a chart, and most stretches of time.
const MOST_GROUPS: usize = 60;
const MOST_TIMES: usize = 2_000;

/// One number for each of several groups or stretches of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What tells the groups apart.
    pub group: String,
    /// What is measured.
    pub measure: String,
    /// Whether the groups are stretches of time; then they stand in order.
    pub is_time: bool,
    /// The groups.
    pub points: Vec<Point>,
}

/// A group of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// Its number.
    pub value: f64,
    /// The same as people read it, with its unit.
    pub shown: String,
}

impl Outcome {
    /// The result as a series, if it is one: two columns, different names in the first, numbers in the second.
    pub fn series(&self) -> Option<Series> {
        let [group, measure] = self.headings.as_slice() else { return None };
        if self.is_cut || self.rows.len() < 2 || self.rows.len() > MOST_TIMES {
            return None;
        }
        let mut points = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let [name, number] = row.as_slice() else { return None };
            let Cell::Number(value) = number else {
                // A group without a number, such as the average of no values.
                if *number == Cell::Missing {
                    continue;
                }
                return None;
            };
            let value = value.to_string().parse().ok()?;
            points.push(Point { name: group.shown(name), value, shown: measure.shown(number) });
        }
        let is_time = points.iter().all(|point| is_time(&point.name));
        if is_time {
            points.sort_by(|one, other| one.name.cmp(&other.name));
        }
        let mut names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let most = if is_time { MOST_TIMES } else { MOST_GROUPS };
        if names.len() != points.len() || points.len() < 2 || points.len() > most {
            return None;
        }
        Some(Series { group: group.name.clone(), measure: measure.name.clone(), is_time, points })
    }
}

/// `2026-03`, `2026-W12`, `2026-Q1`, `2026-03-04 10:00`, `2026`.
fn is_time(name: &str) -> bool {
    let (year, rest) = name.split_at_checked(4).unwrap_or((name, ""));
    let is_year =
        year.len() == 4 && year.starts_with(['1', '2']) && year.bytes().all(|digit| digit.is_ascii_digit());
    is_year && (rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use crate::ask::Answer;
    use crate::options::LoadOptions;
    use crate::table::Table;

    const SALES: &str = "day,shop,amount\n2026-02-03,North,10.50\n2026-01-09,South,4.00\n2026-02-04,North,2.00\n2026-03-01,East,7.25\n";

    fn sales() -> Table {
        Table::load("sales.csv", SALES, &LoadOptions::default()).unwrap()
    }

    #[test]
    fn a_number_per_month_is_a_series_in_the_order_of_time() {
        let Answer::Unique(answered) = sales().ask("What is the total amount per month?") else {
            panic!("one reading")
        };
        let series = answered.outcome.series().unwrap();
        assert!(series.is_time);
        let points: Vec<(&str, f64)> =
            series.points.iter().map(|point| (point.name.as_str(), point.value)).collect();
        assert_eq!(points, [("2026-01", 4.0), ("2026-02", 12.5), ("2026-03", 7.25)]);
        assert_eq!((series.group.as_str(), series.measure.as_str()), ("month", "total amount"));
    }

    #[test]
    fn groups_keep_the_order_of_the_result_and_lists_are_no_series() {
        let table = sales();
        let series = |sql: &str| table.run_sql(sql).unwrap().series();
        let by_shop =
            series("SELECT shop, sum(amount) AS total FROM sales GROUP BY shop ORDER BY total DESC");
        let names: Vec<String> = by_shop.unwrap().points.into_iter().map(|point| point.name).collect();
        assert_eq!(names, ["North", "East", "South"]);
        assert_eq!(series("SELECT count(*) FROM sales"), None);
        assert_eq!(series("SELECT shop, day FROM sales"), None, "no numbers");
        assert_eq!(series("SELECT shop, amount FROM sales"), None, "a name stands twice");
        assert_eq!(series("SELECT shop, amount FROM sales LIMIT 1"), None);
    }
}
