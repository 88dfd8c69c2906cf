//! A disk that fills up while a run is written to it. Needs the right to mount a small file system.

use crate::program::Place;
use std::path::Path;
use std::process::Command;

/// A file system in memory, unmounted at the end.
struct Disk<'a>(&'a Path);

impl Disk<'_> {
    fn mount(&self, options: &str) -> bool {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(self.0);
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// Everything but what names of folders and moments make differ.
fn shards_and_weights(place: &Place, run: &str) -> Vec<Vec<u8>> {
    place.run(&["export", run, "--to", run, "--replace"]).expect(0, &[]);
    let mut files: Vec<_> = place.files(&format!("data/{run}/shards")).into_values().collect();
    files.push(std::fs::read(place.path(run).join("model.bpk")).unwrap());
    files
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_full_disk_stops_a_run_cleanly_and_it_goes_on_when_there_is_room() {
    let place = Place::new();
    let data = place.path("data");
    std::fs::create_dir(&data).unwrap();
    let disk = Disk(&data);
    if !disk.mount("size=8k") {
        std::mem::forget(disk);
        println!("skipped: mounting a file system is not permitted here");
        return;
    }
    let mut full = 0;
    for kibibytes in [8, 64, 256, 700, 1400, 2000, 2700] {
        assert!(disk.mount(&format!("remount,size={kibibytes}k")));
        let said = place.train("a", &[]);
        if said.code == Some(0) {
            break;
        }
        said.expect(1, &["data/", "the disk is full", "run the same command again"]);
        full += 1;
    }
    assert!(full >= 3, "the disk was full {full} times only");
    assert!(disk.mount("remount,size=64m"));
    place.train("a", &[]).expect(0, &["the run a is complete"]);
    place.train("b", &[]).expect(0, &["the run b is complete"]);
    assert_eq!(shards_and_weights(&place, "a"), shards_and_weights(&place, "b"));
}
