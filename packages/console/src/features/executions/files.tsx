import { useQueries } from '@tanstack/react-query';
import { read, type Schemas } from '../../api.ts';
import { number } from '../../strings/locale.ts';

type FileRecord = Schemas['File'];

/** Media are shown by their checked type; everything else is a link that downloads. SVG may hold scripts. */
export function FilePreview({ file, url }: { file: FileRecord; url: string }) {
  const isShown = file.status === 'ready' && file.content_type !== 'image/svg+xml';
  const size = file.size_bytes === null ? '' : `${number(file.size_bytes)} B`;
  const pixels = file.width === null || file.height === null ? '' : `${file.width} × ${file.height}`;
  return (
    <figure className="rounded-md border border-line p-2">
      {isShown && <Media url={url} type={file.content_type ?? ''} name={file.filename} />}
      <figcaption className="mt-1 flex flex-wrap justify-between gap-x-3 text-soft text-xs">
        <a href={url} download={file.filename} className="break-all underline">
          {file.filename}
        </a>
        <span>{[file.content_type, pixels, size].filter(Boolean).join(' · ')}</span>
      </figcaption>
    </figure>
  );
}

export function Media({ url, type, name }: { url: string; type: string; name: string }) {
  const kind = /^(image|audio|video)\//.exec(type)?.[1];
  if (type === 'image/svg+xml') return null;
  if (kind === 'image') return <Image url={url} name={name} />;
  // biome-ignore lint/a11y/useMediaCaption: the file came without captions
  if (kind === 'audio') return <audio src={url} controls preload="none" className="w-full" />;
  // biome-ignore lint/a11y/useMediaCaption: the file came without captions
  if (kind === 'video') return <video src={url} controls preload="metadata" className="max-h-80 w-full" />;
  return null;
}

export function Image({ url, name }: { url: string; name: string }) {
  return <img src={url} alt={name} loading="lazy" className="mx-auto max-h-80 max-w-full rounded" />;
}

export const fileUrl = (organizationId: string, id: string) =>
  `/admin/v1/organizations/${organizationId}/files/${id}/download`;

/** The files of one organization: where an API has them. */
export type FilesOf = { read: (id: string) => Promise<FileRecord>; urlOf: (id: string) => string };

export const adminFiles = (organizationId: string): FilesOf => ({
  read: (id) => read<FileRecord>(`/organizations/${organizationId}/files/${id}`),
  urlOf: (id) => fileUrl(organizationId, id),
});

/** The files that an input or an output refers to. */
export const fileIdsIn = (value: unknown) => [
  ...new Set(JSON.stringify(value).match(/\bfile_[0-9a-f-]{36}\b/g) ?? []),
];

/** Deleted files are left out. */
export function Files({ ids, from }: { ids: readonly string[]; from: FilesOf }) {
  const files = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['file', id],
      queryFn: () => from.read(id),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return files.map(
    ({ data }) => data && <FilePreview key={data.file_id} file={data} url={from.urlOf(data.file_id)} />,
  );
}
