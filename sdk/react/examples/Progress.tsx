// Shows an execution: <HoldfastProvider baseUrl="https://holdfast.example.com"><Progress id={id} token={token} /></HoldfastProvider>
import { useExecution } from '@holdfast/react';
import type { OutputFile } from '@holdfast/sdk';
import { useEffect, useState } from 'react';

export function Progress({
  id,
  token,
  onTokenExpired,
}: {
  id: string;
  token: string;
  onTokenExpired: () => void;
}) {
  const { status, progress, files, error, isEnded } = useExecution(id, token, { onTokenExpired });
  if (error && !error.retryable) return <p role="alert">{error.message}</p>;
  if (!isEnded) return <progress value={progress ?? undefined} aria-label={status ?? 'Loading'} />;
  return files.map((file) => <Picture key={file.file_id} file={file} />);
}

function Picture({ file }: { file: OutputFile }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    let isShown = true;
    file.url().then(
      (found) => isShown && setUrl(found),
      () => setUrl(''),
    );
    return () => {
      isShown = false;
    };
  }, [file]);
  return url === '' ? null : <img src={url} alt="" />;
}
