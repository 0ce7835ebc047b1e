import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Media } from '../executions/files.tsx';

export type Upload = (file: File) => Promise<Schemas['File']>;

type FileProps = { id: string; value: unknown; upload: Upload; onChange: (value: unknown) => void };

export function FilesField({ id, value, upload, onChange }: FileProps) {
  const ids = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  const set = (next: string[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <div className="space-y-2">
      {ids.map((one) => (
        <FileField
          key={one}
          id={`${id}-${one}`}
          value={one}
          upload={upload}
          onChange={(given) =>
            set(ids.flatMap((other) => (other !== one ? [other] : given ? [String(given)] : [])))
          }
        />
      ))}
      <FileField
        key={ids.length}
        id={id}
        value={undefined}
        upload={upload}
        onChange={(given) => given !== undefined && set([...ids, String(given)])}
      />
    </div>
  );
}

/** Uploads a file at once; `chosen` is the one that was taken last. */
function useUpload({ upload, onChange }: Pick<FileProps, 'upload' | 'onChange'>) {
  const [chosen, setChosen] = useState<File | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const latest = useRef<FileProps['onChange'] | null>(null);
  // What else was typed during an upload stays; the file of a form that is gone is left out.
  useEffect(() => {
    latest.current = onChange;
    return () => {
      latest.current = null;
    };
  });
  const take = (file: File | undefined) => {
    if (!file) return;
    setChosen(file);
    setBusy(true);
    setError(null);
    upload(file)
      .then(({ file_id: uploaded }) => latest.current?.(uploaded))
      .catch((reason: unknown) => {
        setChosen(null);
        setError(reason instanceof Error ? reason.message : text.lost);
      })
      .finally(() => setBusy(false));
  };
  const remove = () => {
    setChosen(null);
    onChange(undefined);
  };
  return { chosen, isBusy, error, take, remove };
}

/** A file of this computer, dropped or chosen, is uploaded at once; the value is its id. */
export function FileField({ id, value, upload, onChange }: FileProps) {
  const { chosen, isBusy, error, take, remove } = useUpload({ upload, onChange });
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const look = isOver ? 'border-accent bg-hover' : 'border-line';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside does the same by keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`rounded-md border border-dashed p-3 ${look}`}
    >
      <input
        id={id}
        type="file"
        disabled={isBusy}
        onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
        className="w-full text-soft text-xs file:mr-3 file:rounded-md file:border file:border-line file:border-solid file:bg-card file:px-3 file:py-1.5 file:font-medium file:text-ink"
      />
      <p className="mt-1 text-soft text-xs">{isBusy ? text.playground.uploading : text.playground.drop}</p>
      {chosen && <LocalPreview file={chosen} />}
      {typeof value === 'string' && value !== '' && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-xs">
          <span className="break-all font-mono">{value}</span>
          <Button onClick={remove}>{text.playground.removeFile}</Button>
        </p>
      )}
      {error && (
        <p role="alert" className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </div>
  );
}

function LocalPreview({ file }: { file: File }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url && <div className="mt-2">{<Media url={url} type={file.type} name={file.name} />}</div>;
}
