use super::*;

struct TestStore {
    folder: tempfile::TempDir,
    store: ArtifactStore,
}

fn test_store() -> TestStore {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().join("deep/store"));
    let store = ArtifactStore::open(&location).unwrap();
    TestStore { folder, store }
}

impl TestStore {
    async fn put(
        &self,
        key: &str,
        bytes: &[u8],
        secrets: &Secrets,
    ) -> Result<PutResult, StoreError> {
        let path = self.folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        self.store.put_file(key, &path, secrets, 20 << 20).await
    }
}

#[tokio::test]
async fn stored_artifacts_are_listed_and_read() {
    let test = test_store();
    let none = Secrets::default();
    for (run, name, bytes) in [
        ("r", "b/x.txt", "0123456789"),
        ("r", "a.txt", ""),
        ("r2", "c", "z"),
    ] {
        let key = test.store.key(run, 3, ArtifactKind::File, name);
        let put = test.put(&key, bytes.as_bytes(), &none).await.unwrap();
        assert_eq!(put.bytes, bytes.len() as u64);
    }
    let listed = test.store.list("r").await.unwrap();
    let keys: Vec<(&str, u64)> = listed
        .iter()
        .map(|found| (&*found.key, found.bytes))
        .collect();
    assert_eq!(keys, [("r/3/files/a.txt", 0), ("r/3/files/b/x.txt", 10)]);
    let read = |range| test.store.read("r/3/files/b/x.txt", range);
    assert_eq!(read(0..u64::MAX).await.unwrap(), "0123456789");
    assert_eq!(read(3..5).await.unwrap(), "34");
    assert_eq!(read(50..60).await.unwrap(), "");
    assert_eq!(test.store.size("r/none").await.unwrap(), None);
    test.store.remove_run("r").await.unwrap();
    assert!(test.store.list("r").await.unwrap().is_empty());
    assert_eq!(test.store.list("r2").await.unwrap().len(), 1);
}

#[tokio::test]
async fn no_key_escapes_the_store() {
    let test = test_store();
    let none = Secrets::default();
    for (run, name) in [
        ("../../x", "y"),
        ("..", "../../y"),
        ("a/b", "."),
        ("r", "a\nb"),
    ] {
        let key = test.store.key(run, 0, ArtifactKind::File, name);
        test.put(&key, b"data", &none).await.unwrap();
        assert_eq!(test.store.read(&key, 0..9).await.unwrap(), "data", "{key}");
        assert_eq!(test.store.list(run).await.unwrap().len(), 1, "{run}");
    }
    let outside: Vec<_> = std::fs::read_dir(test.folder.path()).unwrap().collect();
    assert_eq!(outside.len(), 2, "{outside:?}");
    assert!(test.store.read("../../file", 0..9).await.is_err());
}

#[tokio::test]
async fn large_files_are_copied_whole() {
    let test = test_store();
    let bytes: Vec<u8> = (0..=250).cycle().take(PART * 2 + 5).collect();
    let put = test
        .put("r/large", &bytes, &Secrets::default())
        .await
        .unwrap();
    assert_eq!(put.bytes, bytes.len() as u64);
    assert_eq!(put.sha256, hexadecimal(&Sha256::digest(&bytes)));
    let read = test.store.read("r/large", 0..u64::MAX).await.unwrap();
    assert!(read == bytes);
}

#[tokio::test]
async fn secrets_and_large_files_are_not_stored() {
    let test = test_store();
    let secrets = Secrets::new([&b"hunter2!"[..]]).unwrap();
    let mut bytes = vec![b'x'; PART - 3];
    bytes.extend_from_slice(b"hunter2! and more");
    let error = test.put("r/a", &bytes, &secrets).await.unwrap_err();
    assert_eq!(error.to_string(), "contains a secret of the run");
    let error = test
        .put("r/b", &vec![0; 21 << 20], &secrets)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "has 22020096 bytes, and at most 20971520 can be stored"
    );
    let folder = test.folder.path();
    let error = test
        .store
        .put_file("r/c", folder, &secrets, 1)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "is not a file");
    assert!(test.store.list("r").await.unwrap().is_empty());
}
