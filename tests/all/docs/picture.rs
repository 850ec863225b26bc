//! The picture of the README: what `python train.py 2>&1 | pickfix` prints in docs/picture.

use std::io::Write;
use std::process::{Command, Stdio};

use anstyle::{Color, RgbColor};
use anstyle_svg::{Palette, Term, VGA};

use super::{hold, project, read};

/// The columns of the terminal in the picture.
const WIDTH: &str = "84";

/// Where the saved run says that the program was.
const PROJECT: &str = "/home/user/project";

/// Returns what the filter prints for an input, in the folder of the program.
fn filtered(input: &str) -> String {
    let mut filter = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(["--color", "always", "--width", WIDTH])
        .current_dir(project().join("docs/picture"))
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env(
            "XDG_STATE_HOME",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/picture"),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = filter.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = filter.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns what the filter prints for the saved run.
fn annotated() -> String {
    let here = project().join("docs/picture");
    let here = here.to_str().expect("a path");
    let run = read("docs/picture/run.log").replace(PROJECT, here);
    filtered(&run).replace(here, PROJECT)
}

/// Returns the lines of the annotation, without their colours.
fn annotation(output: &str) -> Vec<String> {
    let plain = strip(output);
    let lines = plain.lines().filter(|line| line.starts_with('▎'));
    lines.map(str::to_owned).collect()
}

fn strip(coloured: &str) -> String {
    let mut parts = coloured.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or("", |(_, rest)| rest)
    })
}

const fn rgb(red: u8, green: u8, blue: u8) -> RgbColor {
    RgbColor(red, green, blue)
}

/// Returns the colours of a dark terminal.
fn dark() -> Palette {
    let mut colours = VGA.0;
    colours[1] = rgb(255, 123, 114);
    colours[5] = rgb(210, 168, 255);
    Palette(colours)
}

#[test]
fn the_picture_is_what_the_program_prints() {
    let screen = format!("$ python train.py 2>&1 | pickfix\n{}", annotated());
    let draw = |palette, text, ground| {
        Term::new()
            .palette(palette)
            .fg_color(Color::Rgb(text))
            .bg_color(Color::Rgb(ground))
            .render_svg(&screen)
    };
    let light = draw(VGA, rgb(31, 35, 40), rgb(246, 248, 250));
    let dark = draw(dark(), rgb(230, 237, 243), rgb(13, 17, 23));
    hold("docs/picture/light.svg", &light);
    hold("docs/picture/dark.svg", &dark);
}

/// The saved run is a real one: the program, run here, gets the same annotation.
#[test]
#[cfg(target_os = "linux")]
fn the_picture_is_that_of_a_real_run() {
    let version = "import sys; print(sys.version_info[1])";
    let python = Command::new("python3").args(["-c", version]).output();
    let minor = python.ok().and_then(|o| String::from_utf8(o.stdout).ok());
    let minor: u32 = minor.and_then(|m| m.trim().parse().ok()).unwrap_or(0);
    if !(11..=13).contains(&minor) {
        eprintln!("SKIPPED: no python3 of 3.11 to 3.13 here");
        return;
    }
    let folder = project().join("docs/picture");
    let run = Command::new("python3")
        .arg("train.py")
        .current_dir(&folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("it has told its version");
    assert_eq!(run.status.code(), Some(1));
    let output = filtered(&String::from_utf8(run.stderr).expect("text"));
    assert_eq!(annotation(&output), annotation(&annotated()));
}
