import type { Schemas } from '../../api.ts';
import { modelEditorText } from '../../strings/modelEditor.ts';

type Check = Schemas['ModelCheck'];
type Change = Schemas['ModelChange'];

/** What is wrong with a text, or what applying it would change. */
export function DryRun({ of, goTo }: { of: Check; goTo: (line: number) => void }) {
  return (
    <div className="space-y-3">
      {!of.is_valid && (
        <p className="font-semibold text-bad">{modelEditorText.problems(of.problems.length)}</p>
      )}
      <Problems of={of.problems} goTo={goTo} />
      {of.is_valid && <Outcome of={of} />}
      {of.warnings.length > 0 && <p className="text-busy">{modelEditorText.warning}</p>}
      <Problems of={of.warnings} goTo={goTo} />
    </div>
  );
}

function Problems({ of, goTo }: { of: Check['problems']; goTo: (line: number) => void }) {
  if (of.length === 0) return null;
  return (
    <ul className="space-y-2">
      {of.map(({ line, message }) => (
        <li key={`${line} ${message}`} className="wrap-anywhere">
          {line !== null && (
            <button
              type="button"
              onClick={() => goTo(line)}
              className="mr-2 underline decoration-soft tabular-nums"
            >
              {modelEditorText.line(line)}
            </button>
          )}
          {message}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ of }: { of: Check }) {
  const { slug, current, changes } = of;
  if (current === null)
    return (
      <>
        <p className="font-semibold">{modelEditorText.isNew(slug ?? '')}</p>
        <Offer of={of} />
        <details>
          <summary className="cursor-pointer text-soft">{modelEditorText.whole}</summary>
          <Changes of={changes} />
        </details>
      </>
    );
  if (changes.length === 0) return <p className="font-semibold">{modelEditorText.unchanged(slug ?? '')}</p>;
  return (
    <>
      <p className="font-semibold">{modelEditorText.changes(changes.length, slug ?? '')}</p>
      <Offer of={of} />
      <Changes of={changes} />
    </>
  );
}

function Offer({ of }: { of: Check }) {
  return <p className={of.is_offered ? 'text-good' : 'text-busy'}>{offerOf(of)}</p>;
}

function Changes({ of }: { of: readonly Change[] }) {
  return (
    <ul aria-label={modelEditorText.dryRun} className="divide-y divide-line">
      {of.map((change) => (
        <ChangeRow key={change.field} of={change} />
      ))}
    </ul>
  );
}

function offerOf({ is_offered: isOffered, missing }: Check): string {
  if (isOffered) return modelEditorText.offered;
  return missing === null ? modelEditorText.inactive : modelEditorText.notOffered(missing);
}

function ChangeRow({ of: { field, from, to } }: { of: Change }) {
  const kind = from === null ? 'added' : to === null ? 'removed' : 'changed';
  return (
    <li className="py-2 last:pb-0">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <code className="wrap-anywhere font-mono text-xs">{field}</code>
        <span className="text-soft text-xs">{modelEditorText[kind]}</span>
      </p>
      {from !== null && <Value of={from} tone="text-bad" sign="−" />}
      {to !== null && <Value of={to} tone="text-good" sign="+" />}
    </li>
  );
}

/** JSON as text: a string without its quotes, and what has members over several lines. */
function Value({ of, tone, sign }: { of: string; tone: string; sign: string }) {
  const value: unknown = JSON.parse(of);
  const shown = typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
  return (
    <pre className={`max-h-64 overflow-auto whitespace-pre-wrap break-words font-mono text-xs ${tone}`}>
      {`${sign} ${shown}`}
    </pre>
  );
}
