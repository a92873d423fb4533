//! A file system in memory, with the functions of `std::fs` that this application uses.
//!
//! A page cannot open files by path. The application puts opened files into this file system. The [`Storage`] receives
//! each file that is written to the folder for user data, and each saved file. Folders exist as soon as a file is in them
//! or [`create_dir_all`] was called.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, TryLockError};
use std::time::SystemTime;

/// Keeps files outside the memory of the page.
pub trait Storage: Send + Sync {
    /// The folder whose files are kept from one visit to the next.
    fn user_data(&self) -> &Path;

    /// Stores a file of [`Self::user_data`], or deletes it if there are no bytes.
    fn store(&self, path: &Path, bytes: Option<&[u8]>) -> io::Result<()>;

    /// Hands a saved file to the artist.
    fn save(&self, path: &Path, bytes: &[u8]);

    /// Whether another page has locked a file of [`Self::user_data`].
    fn is_locked_elsewhere(&self, path: &Path) -> bool;

    /// Locks a file of [`Self::user_data`] until this page is closed.
    fn lock(&self, path: &Path);

    /// Returns a number that no other page has returned.
    fn new_number(&self) -> u64;
}

static STORAGE: OnceLock<Box<dyn Storage>> = OnceLock::new();
static FILES: Mutex<Files> =
    Mutex::new(Files { contents: BTreeMap::new(), folders: BTreeSet::new(), next_identity: 0 });

struct Files {
    contents: BTreeMap<PathBuf, Entry>,
    folders: BTreeSet<PathBuf>,
    next_identity: u64,
}

#[derive(Clone)]
struct Entry {
    bytes: Arc<Vec<u8>>,
    /// Stays when the file is renamed, so that an open [`File`] still finds it.
    identity: u64,
}

impl Files {
    /// Replaces the contents of a file, or creates the file.
    fn set(&mut self, path: &Path, bytes: Arc<Vec<u8>>) {
        if let Some(entry) = self.contents.get_mut(path) {
            entry.bytes = bytes;
        } else {
            self.next_identity += 1;
            self.contents.insert(path.to_owned(), Entry { bytes, identity: self.next_identity });
        }
    }
}

/// Locks a value for a short time. The main thread of a page must not wait in the system, so this function waits in a loop.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        match mutex.try_lock() {
            Ok(value) => return value,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
}

fn files() -> MutexGuard<'static, Files> {
    lock(&FILES)
}

/// Sets the storage. `kept` are the files of the last visit.
pub fn set_storage(storage: Box<dyn Storage>, kept: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) {
    for (path, bytes) in kept {
        insert(&path, bytes);
    }
    STORAGE.set(storage).ok();
}

/// Puts a file of the artist into the file system, without storing it.
pub fn insert(path: &Path, bytes: Vec<u8>) {
    files().set(path, Arc::new(bytes));
}

/// Writes a whole file, and hands it to the artist.
pub(crate) fn save(path: &Path, bytes: Vec<u8>) -> io::Result<()> {
    write(path, &bytes)?;
    if let Some(storage) = STORAGE.get().filter(|storage| !path.starts_with(storage.user_data())) {
        storage.save(path, &bytes);
    }
    Ok(())
}

/// Passes the new contents of a file to the storage.
fn store(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    match STORAGE.get() {
        Some(storage) if path.starts_with(storage.user_data()) => storage.store(path, bytes),
        _ => Ok(()),
    }
}

fn not_found() -> io::Error {
    ErrorKind::NotFound.into()
}

/// Replaces `std::fs::read`.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    Ok(shared(path.as_ref())?.to_vec())
}

fn shared(path: &Path) -> io::Result<Arc<Vec<u8>>> {
    files().contents.get(path).map(|entry| Arc::clone(&entry.bytes)).ok_or_else(not_found)
}

/// Replaces `std::fs::write`.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    store(path.as_ref(), Some(bytes.as_ref()))?;
    insert(path.as_ref(), bytes.as_ref().to_owned());
    Ok(())
}

/// Replaces `std::fs::copy`.
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    let bytes = read(from)?;
    write(to, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Replaces `std::fs::rename`.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let (from, to) = (from.as_ref(), to.as_ref());
    store(to, Some(&shared(from)?))?;
    store(from, None)?;
    let mut files = files();
    let entry = files.contents.remove(from).ok_or_else(not_found)?;
    files.contents.insert(to.to_owned(), entry);
    Ok(())
}

/// Replaces `std::fs::remove_file`.
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    store(path.as_ref(), None)?;
    files().contents.remove(path.as_ref()).map(drop).ok_or_else(not_found)
}

/// Replaces `std::fs::create_dir_all`.
pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    files().folders.insert(path.as_ref().to_owned());
    Ok(())
}

/// Replaces `std::fs::canonicalize`. There are no links.
pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    metadata(&path)?;
    Ok(path.as_ref().to_owned())
}

/// Replaces `std::fs::metadata`.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let (path, files) = (path.as_ref(), files());
    if let Some(entry) = files.contents.get(path) {
        return Ok(Metadata { length: Some(entry.bytes.len() as u64) });
    }
    let is_folder = files.folders.iter().chain(files.contents.keys()).any(|known| known.starts_with(path));
    if is_folder { Ok(Metadata { length: None }) } else { Err(not_found()) }
}

/// Replaces `std::fs::symlink_metadata`. There are no links.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    metadata(path)
}

/// Replaces `std::fs::read_dir`.
pub fn read_dir(folder: impl AsRef<Path>) -> io::Result<std::vec::IntoIter<io::Result<DirEntry>>> {
    let folder = folder.as_ref();
    if !metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    let files = files();
    let below = files.contents.keys().chain(&files.folders).filter_map(|path| path.strip_prefix(folder).ok());
    let names: BTreeSet<OsString> =
        below.filter_map(|path| Some(path.components().next()?.as_os_str().to_owned())).collect();
    let entries: Vec<_> = names.into_iter().map(|name| Ok(DirEntry { path: folder.join(name) })).collect();
    Ok(entries.into_iter())
}

/// Creates a file with a name that no other page uses.
pub(super) fn create_with_new_name(folder: &Path, extension: &str) -> io::Result<(File, PathBuf)> {
    let number = STORAGE.get().map_or(0, |storage| storage.new_number());
    let path = folder.join(format!("{number:016x}.{extension}"));
    Ok((OpenOptions::new().create(true).write(true).truncate(true).open(&path)?, path))
}

/// Replaces `std::fs::Metadata`.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// `None` for a folder.
    length: Option<u64>,
}

#[expect(clippy::len_without_is_empty, reason = "as in std")]
impl Metadata {
    /// Whether this is a file.
    pub fn is_file(&self) -> bool {
        self.length.is_some()
    }

    /// Whether this is a folder.
    pub fn is_dir(&self) -> bool {
        self.length.is_none()
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.length.unwrap_or_default()
    }

    /// Times are not stored.
    pub fn modified(&self) -> io::Result<SystemTime> {
        Err(ErrorKind::Unsupported.into())
    }
}

/// Replaces `std::fs::DirEntry`.
#[derive(Debug)]
pub struct DirEntry {
    path: PathBuf,
}

impl DirEntry {
    /// Full path.
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Name in the folder.
    pub fn file_name(&self) -> OsString {
        self.path.file_name().unwrap_or_default().to_owned()
    }

    /// Kind and length.
    pub fn metadata(&self) -> io::Result<Metadata> {
        metadata(&self.path)
    }

    /// Kind.
    pub fn file_type(&self) -> io::Result<Metadata> {
        self.metadata()
    }
}

/// Replaces `std::fs::OpenOptions`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    create: bool,
    truncate: bool,
}

impl OpenOptions {
    /// Opens existing files for reading.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a missing file is created.
    pub fn create(&mut self, create: bool) -> &mut Self {
        self.create = create;
        self
    }

    /// Every file can be written.
    pub fn write(&mut self, _write: bool) -> &mut Self {
        self
    }

    /// Whether the contents are removed.
    pub fn truncate(&mut self, truncate: bool) -> &mut Self {
        self.truncate = truncate;
        self
    }

    /// Opens the file.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        let is_missing = !metadata(path).is_ok_and(|metadata| metadata.is_file());
        if (is_missing && self.create) || (!is_missing && self.truncate) {
            write(path, [])?;
        }
        File::open(path)
    }
}

/// Replaces `std::fs::File`. Writing appends.
#[derive(Debug)]
pub struct File {
    identity: u64,
    /// Where reading continues.
    position: usize,
}

impl File {
    /// Opens an existing file.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        if !metadata(&path)?.is_file() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let identity = files().contents.get(path.as_ref()).map(|entry| entry.identity).ok_or_else(not_found)?;
        Ok(Self { identity, position: 0 })
    }

    /// Returns the present path of the file.
    fn path(&self) -> io::Result<PathBuf> {
        let files = files();
        let found = files.contents.iter().find(|(_, entry)| entry.identity == self.identity);
        found.map(|(path, _)| path.clone()).ok_or_else(not_found)
    }

    /// Kind and length.
    pub fn metadata(&self) -> io::Result<Metadata> {
        metadata(self.path()?)
    }

    /// Files are stored when they are written.
    pub fn sync_all(&self) -> io::Result<()> {
        Ok(())
    }

    /// Returns another handle of the file.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { identity: self.identity, position: self.position })
    }

    /// Locks the file until this page is closed. The own lock does not count.
    pub fn try_lock(&self) -> Result<(), std::fs::TryLockError> {
        let Some(storage) = STORAGE.get() else { return Ok(()) };
        let path = self.path().map_err(std::fs::TryLockError::Error)?;
        if storage.is_locked_elsewhere(&path) {
            return Err(std::fs::TryLockError::WouldBlock);
        }
        storage.lock(&path);
        Ok(())
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = shared(&self.path()?)?;
        let rest = bytes.get(self.position..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let path = self.path()?;
        let mut contents = read(&path)?;
        contents.extend_from_slice(bytes);
        write(&path, contents)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
