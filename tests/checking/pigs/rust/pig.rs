//! Pig, one turn: a roll of 1 costs all points.
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};

fn roll() -> u64 {
    RandomState::new().build_hasher().finish() % 6 + 1
}

fn main() {
    let mut points = 0;
    loop {
        print!("Roll or hold? [r/h] ");
        io::stdout().flush().unwrap();
        let mut line = String::new();
        if io::stdin().read_line(&mut line).unwrap() == 0 {
            println!();
            return;
        }
        if line.starts_with('h') {
            println!("You keep {}.", points);
            return;
        }
        let number = roll();
        if number == 1 {
            println!("You rolled 1: 0 points.");
            println!("A one costs you all your points.");
            return;
        }
        points += number;
        println!("You rolled {}: {} points.", number, points);
    }
}
