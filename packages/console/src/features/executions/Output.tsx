import type { Schemas } from '../../api.ts';
import { text } from '../../strings/shared.ts';
import { Code, Json } from '../../ui/values.tsx';
import { FilePreview, fileUrl } from './files.tsx';
import { Ending, Streamed } from './Streamed.tsx';
import type { Stream } from './shownStream.ts';

type Shown = Pick<
  Schemas['ExecutionWithAttempts'],
  | 'erased_at'
  | 'completed_at'
  | 'status'
  | 'result'
  | 'partial_output'
  | 'finish_reason'
  | 'cost'
  | 'files'
  | 'organization_id'
>;

/** The files and texts of an output, and all of it as JSON. */
export function Output({ of, stream }: { of: Shown; stream: Stream }) {
  if (of.erased_at) return <p className="text-soft">{text.execution.erased}</p>;
  if (of.completed_at === null)
    return <Streamed of={stream} urlOf={(id) => fileUrl(of.organization_id, id)} />;
  if (of.result === undefined) return <Ending of={of} />;
  return (
    <div className="space-y-3">
      {of.files.map((file) => (
        <FilePreview key={file.file_id} file={file} url={fileUrl(of.organization_id, file.file_id)} />
      ))}
      <Result of={of.result} isShown={of.files.length > 0} />
      <Ending of={of} />
    </div>
  );
}

/** The text of an output, and all of it as JSON, which is open if nothing else of it `isShown`. */
export function Result({ of, isShown }: { of: { text?: unknown }; isShown: boolean }) {
  const { text: written } = of;
  return (
    <>
      {typeof written === 'string' && <Code of={written} label={text.execution.outputText} />}
      <details open={!isShown && typeof written !== 'string'}>
        <summary className="cursor-pointer text-soft text-xs">{text.execution.json}</summary>
        <div className="mt-2">
          <Json of={of} label={text.execution.output} />
        </div>
      </details>
    </>
  );
}
