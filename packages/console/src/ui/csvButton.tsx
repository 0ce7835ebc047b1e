import { useState } from 'react';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { download } from './csv.ts';
import { Problem } from './states.tsx';

/** Saves what the API has as CSV under a name. */
export function CsvButton({ name, read }: { name: string; read: () => Promise<Blob> }) {
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    try {
      download(name, await read());
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Button onClick={() => void run()}>{text.list.downloadCsv}</Button>
      {error !== null && <Problem error={error} />}
    </>
  );
}
