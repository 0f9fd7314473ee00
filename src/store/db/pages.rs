//! A few rows straight from the pages of a database and its write-ahead log.
//!
//! SQLite reads and parses the whole schema before its first answer. The databases of 2026.9 have up to
//! 330 tables, indexes and triggers: a millisecond for each database, where a list of 1,000 agents has
//! one second for all. This reads what the file format (https://sqlite.org/fileformat2.html) says
//! about three small tables and nothing else, without a lock or a file of its own; the caller makes
//! sure that neither file changed meanwhile. Whatever it doesn't know well, it leaves to SQLite by
//! answering `None`: it never guesses, and it never reports damage.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;

use super::rows::Found;
use crate::base::time::Millis;
use crate::store::document::Row;

/// More pages than the tables in question ever have.
const MAX_PAGES: usize = 4_096;
/// More than any row in question is long.
const MAX_PAYLOAD: usize = 64 << 20;
/// Beyond this size SQLite with its index of the log is faster.
const MAX_LOG: u64 = 16 << 20;

struct Pages<'f> {
    file: &'f File,
    log: Option<Log<'f>>,
    size: usize,
    /// `size` without the bytes reserved at the end of each page.
    usable: usize,
    read: usize,
}

/// A value of a record. Others than these don't occur in the tables in question.
enum Cell {
    Null,
    Integer(i64),
    Text(String),
}

/// Where the columns of a record are in its payload.
struct Record {
    payload: Vec<u8>,
    columns: Vec<(u64, usize)>,
}

/// The pages that the log holds in their newest committed state.
struct Log<'f> {
    file: &'f File,
    places: HashMap<u32, u64>,
}

impl<'f> Log<'f> {
    /// Walks the log up to its last whole commit. Answers with the size of its pages too.
    fn read(file: &'f File) -> Option<(Self, usize)> {
        const HEADER: u64 = 32;
        const FRAME: usize = 24;
        if file.metadata().ok()?.len() > MAX_LOG {
            return None;
        }
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut header = [0; HEADER as usize];
        reader.read_exact(&mut header).ok()?;
        let big_endian = match be32(&header, 0)? {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return None,
        };
        let size = usize::try_from(be32(&header, 8)?).ok()?;
        if be32(&header, 4)? != 3_007_000 || !size.is_power_of_two() || !(512..=65_536).contains(&size) {
            return None;
        }
        let mut sum = checksum((0, 0), &header[..24], big_endian);
        if sum != (be32(&header, 24)?, be32(&header, 28)?) {
            return None;
        }
        let mut places = HashMap::new();
        let mut uncommitted = Vec::new();
        let mut frame = vec![0; FRAME + size];
        let mut at = HEADER;
        while reader.read_exact(&mut frame).is_ok() {
            sum = checksum(checksum(sum, &frame[..8], big_endian), &frame[FRAME..], big_endian);
            if frame[8..16] != header[16..24] || sum != (be32(&frame, 16)?, be32(&frame, 20)?) {
                break;
            }
            uncommitted.push((be32(&frame, 0)?, at + FRAME as u64));
            if be32(&frame, 4)? != 0 {
                places.extend(uncommitted.drain(..));
            }
            at += frame.len() as u64;
        }
        Some((Self { file, places }, size))
    }
}

/// The log's running checksum over words of four bytes.
fn checksum(start: (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    bytes.chunks_exact(8).fold(start, |(first, second), pair| {
        let first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
        let second = second.wrapping_add(word(&pair[4..])).wrapping_add(first);
        (first, second)
    })
}

/// What [`super::sqlite::read_rows`] finds, when the files are as expected.
pub(crate) fn find(file: &File, log: Option<&File>, wanted: &[Row]) -> Option<Found> {
    let (log, size) = match log.map(Log::read) {
        Some(read) => read.map(|(log, size)| (Some(log), size))?,
        None => {
            let mut size = [0; 2];
            file.read_exact_at(&mut size, 16).ok()?;
            (None, if size == [0, 1] { 65_536 } else { usize::from(u16::from_be_bytes(size)) })
        }
    };
    if !size.is_power_of_two() || size < 512 {
        return None;
    }
    let mut pages = Pages { file, log, size, usable: size, read: 0 };
    let header = pages.page(1)?;
    let number = |at: usize| be32(&header, at);
    // UTF-8, schema format 4, and the usual fractions of a page.
    if !header.starts_with(b"SQLite format 3\0")
        || number(56)? != 1
        || number(44)? != 4
        || header[21..24] != [64, 32, 32]
        || (usize::from(be16(&header, 16)?) != size && (size, be16(&header, 16)?) != (65_536, 1))
    {
        return None;
    }
    pages.usable = size.checked_sub(usize::from(header[20])).filter(|usable| *usable >= 480)?;
    let version = i64::from(number(60)?.cast_signed());

    let mut names: Vec<&'static str> = vec!["schema_meta"];
    names.extend(wanted.iter().map(|row| row.table));
    let mut tables: Vec<(&'static str, u32, String)> = Vec::new();
    pages.scan(1, &mut |pages, record| {
        // type, name, tbl_name, rootpage, sql
        let Cell::Text(name) = record.cell(1)? else { return None };
        if let Some(known) = names.iter().find(|known| **known == name) {
            let Cell::Text(kind) = record.cell(0)? else { return None };
            let record = record.whole(pages)?;
            let (Cell::Integer(root), Cell::Text(sql)) = (record.cell(3)?, record.cell(4)?) else {
                return None;
            };
            if kind != "table" {
                return None;
            }
            tables.push((known, u32::try_from(root).ok()?, sql));
        }
        Some(())
    })?;

    let table = |name: &str| tables.iter().find(|(known, ..)| *known == name);
    let mut found = Found { version, meta: None, tables: Vec::new(), rows: Vec::new() };
    if let Some((_, root, sql)) = table("schema_meta") {
        let [key, agent, app] = columns(sql, ["meta_key", "agent_id", "app_version"])?;
        if let Some(record) = pages.lookup(*root, key, "primary")? {
            found.meta = Some((record.text(app)?, record.text(agent)?));
        }
    }
    for row in wanted {
        found.tables.push(table(row.table).is_some());
        let value = match table(row.table) {
            None => None,
            Some((_, root, sql)) => {
                let [key, json, updated] = columns(sql, row.columns())?;
                match pages.lookup(*root, key, row.key)? {
                    None => None,
                    Some(record) => {
                        let Cell::Integer(updated) = record.cell(updated)? else { return None };
                        Some((record.text(json)??, Some(Millis(updated))))
                    }
                }
            }
        };
        found.rows.push(value);
    }
    Some(found)
}

/// The places of these columns in a plain `CREATE TABLE name (column TYPE ..., ...)`.
fn columns<const N: usize>(sql: &str, names: [&str; N]) -> Option<[usize; N]> {
    let upper = sql.to_ascii_uppercase();
    if upper.contains("WITHOUT")
        || upper.contains("GENERATED")
        || sql.contains(['"', '`', '[', '\'', '-', '/'])
    {
        return None;
    }
    let body = sql.get(sql.find('(')? + 1..sql.rfind(')')?)?;
    // A comma inside of brackets (CHECK, a key of several columns) isn't looked into.
    if body.contains('(') {
        return None;
    }
    let defined: Vec<&str> =
        body.split(',').map(|definition| definition.split_whitespace().next().unwrap_or_default()).collect();
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        *place = defined.iter().position(|column| *column == name)?;
    }
    Some(places)
}

impl Pages<'_> {
    fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        self.read += 1;
        if number == 0 || self.read > MAX_PAGES {
            return None;
        }
        let mut page = vec![0; self.size];
        let logged = self.log.as_ref().and_then(|log| Some((log.file, *log.places.get(&number)?)));
        let (file, at) = logged.unwrap_or((self.file, u64::from(number - 1) * self.size as u64));
        file.read_exact_at(&mut page, at).ok()?;
        Some(page)
    }

    /// Visits every record of a table; `None` from the visitor ends it.
    fn scan(&mut self, root: u32, visit: &mut dyn FnMut(&mut Self, Partial) -> Option<()>) -> Option<()> {
        let mut pending = vec![root];
        while let Some(number) = pending.pop() {
            let page = self.page(number)?;
            let start = if number == 1 { 100 } else { 0 };
            let kind = *page.get(start)?;
            let cells = usize::from(be16(&page, start + 3)?);
            let pointers = start + if kind == 0x05 { 12 } else { 8 };
            let mut children = Vec::new();
            for index in 0..cells {
                let at = usize::from(be16(&page, pointers + 2 * index)?);
                match kind {
                    0x05 => children.push(be32(&page, at)?),
                    0x0d => {
                        let partial = self.partial(&page, at)?;
                        visit(self, partial)?;
                    }
                    _ => return None,
                }
            }
            if kind == 0x05 {
                children.push(be32(&page, start + 8)?);
                pending.extend(children.into_iter().rev());
            }
        }
        Some(())
    }

    /// What of a record stands in the leaf page.
    fn partial(&self, page: &[u8], at: usize) -> Option<Partial> {
        let (length, after) = varint(page, at)?;
        let (_rowid, start) = varint(page, after)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= MAX_PAYLOAD)?;
        let most = self.usable.checked_sub(35)?;
        if length <= most {
            return Some(Partial { local: page.get(start..start + length)?.to_vec(), length, overflow: 0 });
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let wanted = least + (length - least) % (self.usable - 4);
        let local = if wanted <= most { wanted } else { least };
        let overflow = be32(page, start + local)?;
        Some(Partial { local: page.get(start..start + local)?.to_vec(), length, overflow })
    }

    /// The record whose text in this column is the key.
    fn lookup(&mut self, root: u32, column: usize, key: &str) -> Option<Option<Record>> {
        let mut found = None;
        self.scan(root, &mut |pages, partial| {
            if let Cell::Text(text) = partial.cell(column)?
                && text == key
            {
                found = Some(partial.whole(pages)?);
            }
            Some(())
        })?;
        Some(found)
    }
}

/// A record of which only the first part is read yet.
struct Partial {
    local: Vec<u8>,
    length: usize,
    overflow: u32,
}

impl Partial {
    /// A value that stands in the first part.
    fn cell(&self, column: usize) -> Option<Cell> {
        cell(&self.local, &layout(&self.local)?, column)
    }

    fn whole(self, pages: &mut Pages<'_>) -> Option<Record> {
        let Self { local: mut payload, length, mut overflow } = self;
        while payload.len() < length {
            let page = pages.page(overflow)?;
            overflow = be32(&page, 0)?;
            let take = (length - payload.len()).min(pages.usable - 4);
            payload.extend_from_slice(page.get(4..4 + take)?);
        }
        let columns = layout(&payload)?;
        Some(Record { payload, columns })
    }
}

impl Record {
    fn cell(&self, column: usize) -> Option<Cell> {
        cell(&self.payload, &self.columns, column)
    }

    /// Text or NULL.
    fn text(&self, column: usize) -> Option<Option<String>> {
        match self.cell(column)? {
            Cell::Text(text) => Some(Some(text)),
            Cell::Null => Some(None),
            Cell::Integer(_) => None,
        }
    }
}

/// Type and place of each column.
fn layout(payload: &[u8]) -> Option<Vec<(u64, usize)>> {
    let (header, mut at) = varint(payload, 0)?;
    let header = usize::try_from(header).ok()?;
    let mut place = header;
    let mut columns = Vec::with_capacity(8);
    while at < header {
        let (kind, next) = varint(payload, at)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => (kind - 12) / 2,
        };
        columns.push((kind, place));
        place = place.checked_add(usize::try_from(length).ok()?)?;
        at = next;
    }
    Some(columns)
}

fn cell(payload: &[u8], columns: &[(u64, usize)], column: usize) -> Option<Cell> {
    let (kind, at) = *columns.get(column)?;
    let bytes = |length: usize| payload.get(at..at.checked_add(length)?);
    let integer = |length: usize| {
        let bytes = bytes(length)?;
        let start = if bytes[0] >= 0x80 { -1_i64 } else { 0 };
        Some(Cell::Integer(bytes.iter().fold(start, |value, byte| (value << 8) | i64::from(*byte))))
    };
    match kind {
        0 => Some(Cell::Null),
        1..=4 => integer(usize::try_from(kind).ok()?),
        5 => integer(6),
        6 => integer(8),
        8 => Some(Cell::Integer(0)),
        9 => Some(Cell::Integer(1)),
        kind if kind >= 13 && kind % 2 == 1 => {
            let text = bytes(usize::try_from((kind - 13) / 2).ok()?)?;
            Some(Cell::Text(std::str::from_utf8(text).ok()?.to_owned()))
        }
        _ => None,
    }
}

fn be16(page: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(page.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn be32(page: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(page.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A number of up to nine bytes, and where it ends.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for index in 0..8 {
        let byte = *bytes.get(at + index)?;
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, at + index + 1));
        }
    }
    let last = *bytes.get(at + 8)?;
    Some(((value << 8) | u64::from(last), at + 9))
}

#[cfg(test)]
mod tests {
    use super::super::rows::find_with_sqlite;
    use super::super::sqlite::beside;
    use super::*;
    use crate::store::document::{AGENT_STATE_ROW, AGENT_STORE_ROW, SHARED_MARKER_ROW, SHARED_STORE_ROW};
    use crate::store::testing::{Home, agent_database, state_database};
    use proptest::prelude::*;
    use rusqlite::Connection;

    const AGENT_ROWS: [Row; 2] = [AGENT_STORE_ROW, AGENT_STATE_ROW];

    fn log_of(path: &std::path::Path) -> Option<File> {
        File::open(beside(path, "-wal")).ok().filter(|log| log.metadata().unwrap().len() > 0)
    }

    /// The same as SQLite's own answer, and an answer at all.
    fn check(path: &std::path::Path, wanted: &[Row]) -> Found {
        let found = find(&File::open(path).unwrap(), log_of(path).as_ref(), wanted).unwrap();
        let connection = Connection::open(path).unwrap();
        assert_eq!(found, find_with_sqlite(&connection, wanted).unwrap());
        found
    }

    #[test]
    fn rows_in_overflow_pages_and_deep_tables() {
        let home = Home::new();
        let dir = home.path("agents/main/agent");
        agent_database(&dir, "main", None, None);
        let path = dir.join("openclaw-agent.sqlite");
        let empty = check(&path, &AGENT_ROWS);
        assert_eq!((empty.tables, empty.rows), (vec![true, true], vec![None, None]));
        let database = Connection::open(&path).unwrap();
        for table in 0..300 {
            let sql = format!("CREATE TABLE t{table} (a TEXT, {} INTEGER)", "long_name_".repeat(40));
            database.execute_batch(&sql).unwrap();
        }
        let insert = |index: usize, length: usize| {
            let key = if index == 234 { "primary".to_owned() } else { format!("other-{index}") };
            let text = format!("{{\"é\":\"{}\"}}", "x".repeat(length));
            database
                .execute(
                    "INSERT INTO auth_profile_store VALUES (?1, ?2, ?3)",
                    (key, text, -5_000_000_000_i64),
                )
                .unwrap();
        };
        database.execute_batch("BEGIN").unwrap();
        (0..600).for_each(|index| insert(index, index * 40));
        database.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        let found = check(&path, &AGENT_ROWS);
        assert_eq!(found.rows[0].as_ref().unwrap().0.len(), 234 * 40 + "{\"é\":\"\"}".len());
        assert_eq!(found.meta, Some((None, Some("main".to_owned()))));

        database.execute_batch("BEGIN").unwrap();
        (600..5_000).for_each(|index| insert(index, 3_000));
        database.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        assert!(
            find(&File::open(&path).unwrap(), None, &AGENT_ROWS).is_none(),
            "more pages than it looks at"
        );
    }

    #[test]
    fn committed_pages_of_the_log_count_and_others_do_not() {
        let home = Home::new();
        let dir = home.path("agents/main/agent");
        agent_database(&dir, "main", Some("{}"), Some("{}"));
        let path = dir.join("openclaw-agent.sqlite");
        let database = Connection::open(&path).unwrap();
        let set = |text: &str| {
            database.execute("UPDATE auth_profile_store SET store_json = ?1", [text]).unwrap();
        };
        for round in 0..30 {
            set(&format!("{round}{}", "x".repeat(round * 500)));
            assert_eq!(
                check(&path, &AGENT_ROWS).rows[0].as_ref().unwrap().0.len(),
                round.to_string().len() + round * 500
            );
        }
        database.execute_batch("CREATE TABLE more (a); PRAGMA user_version = 7").unwrap();
        assert_eq!(check(&path, &AGENT_ROWS).version, 7);
        // Copied back and begun anew: frames of before stand behind those of now.
        database.execute_batch("PRAGMA wal_checkpoint(RESTART)").unwrap();
        set("{\"after\":1}");
        assert_eq!(check(&path, &AGENT_ROWS).rows[0].as_ref().unwrap().0, "{\"after\":1}");
        // A transaction that spills pages without committing, and a log that ends within a frame.
        database.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE").unwrap();
        set(&"y".repeat(400_000));
        database.execute_batch("CREATE TABLE spilled AS SELECT * FROM auth_profile_store").unwrap();
        let log = log_of(&path).unwrap();
        let open = find(&File::open(&path).unwrap(), Some(&log), &AGENT_ROWS).unwrap();
        assert_eq!(open.rows[0].as_ref().unwrap().0, "{\"after\":1}");
        database.execute_batch("ROLLBACK").unwrap();
        let mut bytes = std::fs::read(beside(&path, "-wal")).unwrap();
        let cut = dir.join("cut-wal");
        let first_page = 32 + 24 + 100;
        bytes[first_page] ^= 1;
        std::fs::write(&cut, &bytes).unwrap();
        let damaged =
            find(&File::open(&path).unwrap(), Some(&File::open(&cut).unwrap()), &AGENT_ROWS).unwrap();
        assert_ne!(damaged.rows[0].as_ref().unwrap().0, "{\"after\":1}", "its checksum fails: as before it");
        std::fs::write(&cut, &bytes[..20]).unwrap();
        assert!(find(&File::open(&path).unwrap(), Some(&File::open(&cut).unwrap()), &AGENT_ROWS).is_none());
    }

    #[test]
    fn the_shared_store() {
        let home = Home::new();
        state_database(&home, "config_machine_state", "{\"a\":1}", "{}");
        let found = check(&home.path("state/openclaw.sqlite"), &[SHARED_MARKER_ROW, SHARED_STORE_ROW]);
        assert_eq!(found.version, 18);
        assert_eq!(found.rows[1].as_ref().unwrap().0, "{\"a\":1}");
    }

    #[test]
    fn what_is_not_known_well_is_left_to_sqlite() {
        let rows = [AGENT_STORE_ROW];
        for ddl in [
            "CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT, updated_at INTEGER) WITHOUT ROWID",
            "CREATE TABLE auth_profile_store (store_key TEXT, store_json TEXT CHECK (length(store_json) > 0), updated_at INTEGER)",
            "CREATE VIEW auth_profile_store AS SELECT 'primary' AS store_key, 'x' AS store_json, 1 AS updated_at",
            "CREATE TABLE auth_profile_store (\"store_key\" TEXT, store_json TEXT, updated_at INTEGER)",
        ] {
            let temp = tempfile::tempdir().unwrap();
            let path = temp.path().join("x.sqlite");
            Connection::open(&path).unwrap().execute_batch(ddl).unwrap();
            assert!(find(&File::open(&path).unwrap(), None, &rows).is_none(), "{ddl}");
        }
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.sqlite");
        let utf16 = "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)";
        Connection::open(&path).unwrap().execute_batch(utf16).unwrap();
        assert!(find(&File::open(&path).unwrap(), None, &rows).is_none());
        std::fs::write(&path, b"").unwrap();
        assert!(find(&File::open(&path).unwrap(), None, &rows).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Damaged pages end in `None` or in some answer, never in a panic or an endless run.
        #[test]
        fn damage_is_survived(holes in prop::collection::vec((0..100_000_usize, any::<u8>()), 1..40)) {
            let home = Home::new();
            let dir = home.path("agents/main/agent");
            agent_database(&dir, "main", Some(&"{\"x\":1}".repeat(900)), Some("{}"));
            let path = dir.join("openclaw-agent.sqlite");
            let mut bytes = std::fs::read(&path).unwrap();
            for (place, byte) in holes {
                let at = 100 + place % (bytes.len() - 100);
                bytes[at] = byte;
            }
            std::fs::write(&path, bytes).unwrap();
            let _ = find(&File::open(&path).unwrap(), None, &AGENT_ROWS);
        }
    }
}
