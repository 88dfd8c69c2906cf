//! Series of numbers as pictures: a line of blocks, a chart of characters, an SVG.

use super::svg::escape;
use std::fmt::Write;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A series in one line of at most `width` characters, lowest to highest value; gaps where
/// numbers are not finite. Empty without a finite number.
pub fn sparkline(values: &[f64], width: usize) -> String {
    let values = resample(values, width);
    let Some((low, high)) = range(&values) else { return String::new() };
    let step = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        BLOCKS[((share * 8.0) as usize).min(7)]
    };
    values.iter().map(|&value| if value.is_finite() { step(value) } else { ' ' }).collect()
}

/// A chart of `width × height` characters with the highest and lowest value at its left.
pub fn text_chart(title: &str, values: &[f64], width: usize, height: usize) -> String {
    let height = height.max(2);
    let resampled = resample(values, width);
    let mut out = format!("{title}\n");
    let Some((low, high)) = range(&resampled) else {
        out.push_str("(no values)\n");
        return out;
    };
    let labels = [figure(high), figure(low)];
    let margin = labels.iter().map(String::len).max().unwrap_or(0);
    let row_of = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        ((1.0 - share) * (height - 1) as f64).round() as usize
    };
    for row in 0..height {
        let label = match row {
            0 => labels[0].as_str(),
            row if row == height - 1 => labels[1].as_str(),
            _ => "",
        };
        let points: String = resampled
            .iter()
            .map(|&value| if value.is_finite() && row_of(value) == row { '•' } else { ' ' })
            .collect();
        let _ = writeln!(out, "{label:>margin$} ┤{}", points.trim_end());
    }
    let _ = writeln!(out, "{:margin$} └{}", "", "─".repeat(resampled.len()));
    out
}

/// One line of a chart: its name and points `(x, y)` with x rising.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const COLOURS: [&str; 6] = ["#2b5c9e", "#b23a2e", "#3c7a3c", "#8a5fa8", "#c07a1a", "#4a8f93"];

/// A line chart as a whole SVG file, with axes, their extremes, and the names of the series.
pub fn svg_chart(title: &str, x_name: &str, y_name: &str, series: &[Series]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 360.0;
    const LEFT: f64 = 64.0;
    const TOP: f64 = 40.0;
    const BOTTOM: f64 = 48.0;
    const RIGHT: f64 = 24.0;
    let finite: Vec<(f64, f64)> = series
        .iter()
        .flat_map(|series| &series.points)
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    let spread = |values: Vec<f64>| match range(&values) {
        Some((low, high)) if high > low => (low, high),
        Some((low, _)) => (low - 0.5, low + 0.5),
        None => (0.0, 1.0),
    };
    let (x_low, x_high) = spread(finite.iter().map(|point| point.0).collect());
    let (y_low, y_high) = spread(finite.iter().map(|point| point.1).collect());
    let x_of = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
    let y_of = |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"12\" fill=\"#444\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         fill=\"#fbfaf6\"/>\n"
    );
    let text = |out: &mut String, x: f64, y: f64, anchor: &str, colour: &str, text: &str| {
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
            escape(text)
        );
    };
    for part in 0..=4 {
        let share = f64::from(part) / 4.0;
        let value = y_low + share * (y_high - y_low);
        let y = y_of(value);
        let end = WIDTH - RIGHT;
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{end}\" y2=\"{y:.1}\" stroke=\"#ddd8c8\"/>"
        );
        text(&mut out, LEFT - 8.0, y + 4.0, "end", "#444", &figure(value));
        let value = x_low + share * (x_high - x_low);
        text(&mut out, x_of(value), HEIGHT - BOTTOM + 18.0, "middle", "#444", &figure(value));
    }
    text(&mut out, WIDTH / 2.0, 22.0, "middle", "#222", title);
    text(&mut out, WIDTH / 2.0, HEIGHT - 10.0, "middle", "#444", x_name);
    text(&mut out, 8.0, 22.0, "start", "#444", y_name);
    for (index, series) in series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let points: Vec<String> = series
            .points
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|&(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y)))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        text(&mut out, WIDTH - RIGHT, 22.0 + 15.0 * index as f64, "end", colour, &series.name);
    }
    out.push_str("</svg>\n");
    out
}

/// At most `width` values: means of equal runs of the finite ones.
fn resample(values: &[f64], width: usize) -> Vec<f64> {
    if values.len() <= width || width == 0 {
        return values.iter().copied().take(width).collect();
    }
    (0..width)
        .map(|index| {
            let run = &values[index * values.len() / width..(index + 1) * values.len() / width];
            let finite: Vec<f64> = run.iter().copied().filter(|value| value.is_finite()).collect();
            finite.iter().sum::<f64>() / finite.len() as f64
        })
        .collect()
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let mut finite = values.iter().copied().filter(|value| value.is_finite());
    let first = finite.next()?;
    Some(finite.fold((first, first), |(low, high), value| (low.min(value), high.max(value))))
}

/// A number with about three digits that mean something.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 || (size < 1e-3 && size > 0.0) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_blocks() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 80), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[0.0, 1.0, 3.0, 4.0], 2), "▁█");
        assert_eq!(sparkline(&[1.0, f64::NAN, 2.0], 9), "▁ █");
        assert_eq!(sparkline(&[2.0, 2.0], 9), "▅▅");
        assert_eq!(sparkline(&[f64::NAN], 9), "");
        assert_eq!(sparkline(&[], 9), "");
    }

    #[test]
    fn a_chart_of_characters() {
        let text = "loss\n3.00 ┤•\n     ┤ •\n1.00 ┤  •\n     └───\n";
        assert_eq!(text_chart("loss", &[3.0, 2.0, 1.0], 40, 3), text);
        assert_eq!(text_chart("loss", &[], 40, 3), "loss\n(no values)\n");
    }

    #[test]
    fn a_chart_as_a_picture() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_string(),
            points: points.to_vec(),
        };
        let all = [
            series("a<b", &[(0.0, 0.0), (10.0, 100.0)]),
            series("broken", &[(0.0, f64::NAN), (5.0, 50.0)]),
        ];
        let svg = svg_chart("Score", "generation", "%", &all);
        assert!(svg.contains("points=\"64.0,312.0 616.0,40.0\""), "{svg}");
        assert!(svg.contains("points=\"340.0,176.0\""), "{svg}");
        assert!(svg.contains(">a&lt;b</text>") && !svg.contains("NaN"), "{svg}");
        assert!(!svg_chart("t", "x", "y", &[]).contains("NaN"));
    }
}
