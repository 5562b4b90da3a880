//! A clone that exchanges its changes again and again, and is killed on the way now and then.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Dice;
use super::ledger::Ledger;
use super::person::{kill_during, run};
use super::place::Place;

const KILL_ONE_IN: u64 = 8;
const COMPACT_ONE_IN: u64 = 40;

/// Only one at a time: the file that is carried has one name.
static CARRYING: Mutex<()> = Mutex::new(());

/// Gives each clone the packs of the other.
pub fn exchange(place: &Place, ledger: &Ledger) {
    let _one = CARRYING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(why) = place.carry_packs() {
        ledger.problem("carrying packs", &why);
    }
}

pub fn work(place: &Place, ledger: &Ledger, mut dice: Dice, clone: &Path) {
    while ledger.goes_on() {
        let pause = dice.time(15_000, 40_000);
        ledger.pause(pause);
        if dice.roll(KILL_ONE_IN) == 0 {
            let moment = dice.time(0, 300);
            kill_during(ledger, place.sync(clone), moment);
        }
        let mut command = place.sync(clone);
        if dice.roll(COMPACT_ONE_IN) == 0 {
            command.arg("--compact");
        }
        run(ledger, &mut command, "windlass sync");
        exchange(place, ledger);
    }
}
