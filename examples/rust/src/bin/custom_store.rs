//! Keeps robots.txt answers in a store of the program: one file for each origin, in a folder.
//!
//! ```sh
//! cargo run -p comity-examples --bin custom_store -- FOLDER https://example.com/
//! ```
//!
//! Without a URL, it fetches from a small site that it serves on loopback, with a store in a temporary folder.

use std::error::Error;
use std::path::PathBuf;
use std::time::SystemTime;
use std::{fs, io};

use comity_client::store::{Answers, Entry, LocalStore, Reply, StoreError};
use comity_client::url::form_urlencoded;
use comity_client::{Client, Origin};

/// Entries as files. The name of a file is the origin, percent-encoded.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn path(&self, origin: &Origin) -> PathBuf {
        self.0.join(form_urlencoded::byte_serialize(origin.as_str().as_bytes()).collect::<String>())
    }

    /// The files of the folder, with their origins.
    fn files(&self) -> io::Result<Vec<(Origin, fs::DirEntry)>> {
        let mut files: Vec<(Origin, fs::DirEntry)> = Vec::new();
        for file in fs::read_dir(&self.0)? {
            let file = file?;
            let name = file.file_name();
            let origin = form_urlencoded::parse(name.as_encoded_bytes())
                .next()
                .and_then(|(name, _)| name.parse().ok());
            files.extend(origin.map(|origin| (origin, file)));
        }
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(files)
    }

    fn failed(&self, error: io::Error) -> StoreError {
        StoreError::new(format!("cannot use the folder `{}`", self.0.display())).because(error)
    }
}

/// The value, or the default if the file does not exist.
fn if_present<T: Default>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        result => result,
    }
}

impl Answers for Folder {
    fn get<'a>(&'a self, origin: &'a Origin) -> Reply<'a, Option<Entry>> {
        Box::pin(async {
            let bytes =
                if_present(tokio::fs::read(self.path(origin)).await).map_err(|error| self.failed(error))?;
            Ok(Entry::open(bytes)) // `None` for a file that was not written to its end
        })
    }

    fn put<'a>(&'a self, origin: &'a Origin, entry: &'a Entry, now: SystemTime) -> Reply<'a, ()> {
        Box::pin(async move {
            let path = self.path(origin);
            tokio::fs::write(&path, entry.sealed()).await.map_err(|error| self.failed(error))?;
            fs::File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_modified(now))
                .map_err(|error| self.failed(error))
        })
    }

    fn remove<'a>(&'a self, origin: &'a Origin) -> Reply<'a, bool> {
        Box::pin(async {
            let removed = tokio::fs::remove_file(self.path(origin)).await.map(|()| true);
            if_present(removed).map_err(|error| self.failed(error))
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Origin>, limit: usize) -> Reply<'a, Vec<Origin>> {
        Box::pin(async move {
            let files = self.files().map_err(|error| self.failed(error))?;
            let origins = files.into_iter().map(|(origin, _)| origin);
            Ok(origins.filter(|origin| after.is_none_or(|after| origin > after)).take(limit).collect())
        })
    }

    fn purge<'a>(&'a self, before: Option<SystemTime>) -> Reply<'a, u64> {
        Box::pin(async move {
            let purged = || -> io::Result<u64> {
                let mut purged = 0;
                for (_, file) in self.files()? {
                    let written = file.metadata()?.modified()?;
                    if before.is_none_or(|before| written < before) {
                        fs::remove_file(file.path())?;
                        purged += 1;
                    }
                }
                Ok(purged)
            };
            purged().map_err(|error| self.failed(error))
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let builder = || Client::builder("ExampleBot").contact("https://example.com/bot");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let temporary = tempfile::tempdir()?;
    let (folder, url, builder) = match arguments.as_slice() {
        [folder, url] => (PathBuf::from(folder), url.clone(), builder()),
        _ => {
            let (url, builder) = comity_examples::local_site(builder()).await?;
            (temporary.path().to_owned(), url, builder)
        }
    };
    let client = builder.store(LocalStore::new(Folder(folder))).build()?;
    println!("{}: {}", url, client.fetch(&url).await?.status());
    for origin in client.store().list(None, 10).await? {
        println!("stored: {origin}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use comity_client::store::LocalStore;
    use comity_client::store::conformance::StoreUnderTest;

    use super::Folder;

    fn folder() -> StoreUnderTest {
        let folder = tempfile::tempdir().expect("a temporary folder");
        StoreUnderTest::new(Arc::new(LocalStore::new(Folder(folder.path().to_owned())))).keeping(folder)
    }

    comity_client::store_conformance!(folder());
}
