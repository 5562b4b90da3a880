use super::*;

struct Place {
    folder: tempfile::TempDir,
    store: ArtifactStore,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().join("deep/store"));
    let store = ArtifactStore::open(&location).unwrap();
    Place { folder, store }
}

impl Place {
    async fn put(&self, key: &str, bytes: &[u8], secrets: &Secrets) -> Result<Put, StoreError> {
        let path = self.folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        self.store.put_file(key, &path, secrets, 20 << 20).await
    }
}

#[tokio::test]
async fn what_was_put_is_listed_and_read() {
    let place = place();
    let none = Secrets::default();
    for (run, name, bytes) in [
        ("r", "b/x.txt", "0123456789"),
        ("r", "a.txt", ""),
        ("r2", "c", "z"),
    ] {
        let key = place.store.key(run, 3, ArtifactKind::File, name);
        let put = place.put(&key, bytes.as_bytes(), &none).await.unwrap();
        assert_eq!(put.bytes, bytes.len() as u64);
    }
    let listed = place.store.list("r").await.unwrap();
    let keys: Vec<(&str, u64)> = listed
        .iter()
        .map(|found| (&*found.key, found.bytes))
        .collect();
    assert_eq!(keys, [("r/3/files/a.txt", 0), ("r/3/files/b/x.txt", 10)]);
    let read = |range| place.store.read("r/3/files/b/x.txt", range);
    assert_eq!(read(0..u64::MAX).await.unwrap(), "0123456789");
    assert_eq!(read(3..5).await.unwrap(), "34");
    assert_eq!(read(50..60).await.unwrap(), "");
    assert_eq!(place.store.size("r/none").await.unwrap(), None);
    place.store.remove_run("r").await.unwrap();
    assert!(place.store.list("r").await.unwrap().is_empty());
    assert_eq!(place.store.list("r2").await.unwrap().len(), 1);
}

#[tokio::test]
async fn no_key_leads_out_of_the_store() {
    let place = place();
    let none = Secrets::default();
    for (run, name) in [
        ("../../x", "y"),
        ("..", "../../y"),
        ("a/b", "."),
        ("r", "a\nb"),
    ] {
        let key = place.store.key(run, 0, ArtifactKind::File, name);
        place.put(&key, b"data", &none).await.unwrap();
        assert_eq!(place.store.read(&key, 0..9).await.unwrap(), "data", "{key}");
        assert_eq!(place.store.list(run).await.unwrap().len(), 1, "{run}");
    }
    let outside: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().collect();
    assert_eq!(outside.len(), 2, "{outside:?}");
    assert!(place.store.read("../../file", 0..9).await.is_err());
}

#[tokio::test]
async fn large_files_are_copied_whole() {
    let place = place();
    let bytes: Vec<u8> = (0..=250).cycle().take(PART * 2 + 5).collect();
    let put = place
        .put("r/large", &bytes, &Secrets::default())
        .await
        .unwrap();
    assert_eq!(put.bytes, bytes.len() as u64);
    assert_eq!(put.sha256, hexadecimal(&Sha256::digest(&bytes)));
    let read = place.store.read("r/large", 0..u64::MAX).await.unwrap();
    assert!(read == bytes);
}

#[tokio::test]
async fn what_must_not_be_kept_is_not() {
    let place = place();
    let secrets = Secrets::new([&b"hunter2!"[..]]).unwrap();
    let mut bytes = vec![b'x'; PART - 3];
    bytes.extend_from_slice(b"hunter2! and more");
    let error = place.put("r/a", &bytes, &secrets).await.unwrap_err();
    assert_eq!(error.to_string(), "holds a secret of the run");
    let error = place
        .put("r/b", &vec![0; 21 << 20], &secrets)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "has 22020096 bytes, and 20971520 are left for it"
    );
    let folder = place.folder.path();
    let error = place
        .store
        .put_file("r/c", folder, &secrets, 1)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "is not a file");
    assert!(place.store.list("r").await.unwrap().is_empty());
}
