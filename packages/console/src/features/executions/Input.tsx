import { text } from '../../strings/shared.ts';
import { Button } from '../../ui/button.tsx';
import { download } from '../../ui/csv.ts';
import { Code } from '../../ui/values.tsx';
import { Files, type FilesOf, fileIdsIn } from './files.tsx';

const maxFiles = 8;
/** More of an input is only in the file that is offered: a browser lays out a few pages of text at once, not megabytes. */
const maxShown = 50_000;

/** An input as JSON, after the files that it refers to. `from`: null where files are not shown. */
export function Input({ id, of, from }: { id: string; of: unknown; from: FilesOf | null }) {
  const json = JSON.stringify(of, null, 2);
  return (
    <div className="space-y-3">
      {from && <Files ids={fileIdsIn(of).slice(0, maxFiles)} from={from} />}
      <Code of={json.slice(0, maxShown)} label={text.execution.input} />
      {json.length > maxShown && (
        <div className="flex flex-wrap items-center gap-3 text-soft">
          {text.execution.onlyBeginning}
          <Button onClick={() => download(`${id}_input.json`, json, 'application/json')}>
            {text.execution.downloadInput}
          </Button>
        </div>
      )}
    </div>
  );
}
