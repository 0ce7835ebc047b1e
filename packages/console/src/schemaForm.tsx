import { type DragEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { FieldProblem, Schemas } from './api.ts';
import { Media } from './files.tsx';
import { Button, inputLook } from './parts.tsx';
import { text } from './strings.ts';

type Schema = Readonly<Record<string, unknown>>;
export type Input = Readonly<Record<string, unknown>>;
export type Upload = (file: File) => Promise<Schemas['File']>;

type Kind = 'file' | 'files' | 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'json';

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** A schema with its reference followed; a nullable one counts as what it is otherwise. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isSchema(schema)) return {};
  const { $ref: reference } = schema;
  const steps =
    typeof reference === 'string' && reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  const found = steps.reduce<unknown>((at, step) => (isSchema(at) ? at[step] : undefined), root);
  const { $ref: _, ...own } = schema;
  const whole = steps.length > 0 && isSchema(found) ? { ...found, ...own } : schema;
  const branches = [whole['anyOf'], whole['oneOf']].find(Array.isArray) ?? [];
  const others = branches.filter((one) => isSchema(one) && one['type'] !== 'null');
  return others.length === 1 && isSchema(others[0]) ? { ...others[0], ...whole } : whole;
}

function typesOf({ type }: Schema): unknown[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
}

function kindOf(schema: Schema, root: Schema): Kind {
  const [type, ...others] = typesOf(schema);
  if (schema['format'] === 'file') return 'file';
  if (Array.isArray(schema['enum'])) return 'choice';
  if (others.length > 0) return 'json';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array') {
    const items = resolved(schema['items'], root);
    if (items['format'] === 'file') return 'files';
    return typesOf(items)[0] === 'string' ? 'lines' : 'json';
  }
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? [];
  const takesText = branches.some((one) => isSchema(one) && typesOf(one)[0] === 'string');
  return takesText ? 'text' : 'json';
}

/** The fields of an object's schema, those that are required first. */
export function SchemaForm(props: {
  schema: Schema;
  value: Input;
  problems: readonly FieldProblem[];
  upload: Upload;
  onChange: (value: Input) => void;
}) {
  const { schema, value, problems, upload, onChange } = props;
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const isNeeded = ([name]: [string, unknown]) => required.includes(name);
  const ordered = [...properties.filter(isNeeded), ...properties.filter((one) => !isNeeded(one))];
  if (ordered.length === 0)
    return <JsonField id="input" value={value} onChange={(given) => onChange(objectOf(given))} />;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {ordered.map(([name, part]) => (
        <Property
          key={name}
          name={name}
          schema={resolved(part, schema)}
          root={schema}
          value={value[name]}
          isRequired={required.includes(name)}
          problems={problems.filter(({ field }) => isAbout(field, `input.${name}`))}
          upload={upload}
          onChange={(given) => {
            const { [name]: _, ...others } = value;
            // In the order of the schema, so that the same input is the same request.
            const all: Record<string, unknown> = given === undefined ? others : { ...others, [name]: given };
            const names = [...properties.map(([one]) => one), ...Object.keys(all)];
            onChange(
              Object.fromEntries(
                [...new Set(names)].filter((one) => one in all).map((one) => [one, all[one]]),
              ),
            );
          }}
        />
      ))}
    </div>
  );
}

const isAbout = (field: string, name: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

const objectOf = (value: unknown): Input => (isSchema(value) ? value : {});

type PropertyProps = {
  name: string;
  schema: Schema;
  root: Schema;
  value: unknown;
  isRequired: boolean;
  problems: readonly FieldProblem[];
  upload: Upload;
  onChange: (value: unknown) => void;
};

function Property(props: PropertyProps) {
  const { name, schema, root, isRequired, problems } = props;
  const id = useId();
  const kind = kindOf(schema, root);
  const isWide = kind !== 'number' && kind !== 'choice' && kind !== 'boolean';
  const { description, default: byDefault } = schema;
  return (
    <div className={isWide ? 'sm:col-span-2' : ''}>
      <label htmlFor={id} className="mb-1 flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium font-mono text-xs">{name}</span>
        <span className="text-soft text-xs">
          {[isRequired ? text.playground.required : '', rangeOf(schema)].filter(Boolean).join(' · ')}
        </span>
      </label>
      <Control {...props} id={id} kind={kind} />
      {typeof description === 'string' && (
        <p id={`${id}-about`} className="mt-1 text-soft text-xs">
          {description}
        </p>
      )}
      {byDefault !== undefined && (
        <p className="mt-1 text-soft text-xs">{text.playground.byDefault(JSON.stringify(byDefault))}</p>
      )}
      {problems.map(({ message }) => (
        <p key={message} className="mt-1 text-bad text-xs">
          {message}
        </p>
      ))}
    </div>
  );
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${minimum} – ${maximum}`;
  if (typeof minimum === 'number') return `≥ ${minimum}`;
  return typeof maximum === 'number' ? `≤ ${maximum}` : '';
}

type ControlProps = PropertyProps & { id: string; kind: Kind };

function Control(props: ControlProps): ReactNode {
  const { kind, id, schema, value, upload, onChange } = props;
  switch (kind) {
    case 'file':
      return <FileField id={id} value={value} upload={upload} onChange={onChange} />;
    case 'files':
      return <FilesField id={id} value={value} upload={upload} onChange={onChange} />;
    case 'choice':
      return <ChoiceField {...props} />;
    case 'boolean':
      return <ChoiceField {...props} schema={{ ...schema, enum: [true, false] }} />;
    case 'number':
      return <NumberField {...props} />;
    case 'text':
      return <TextField {...props} />;
    case 'lines':
      return <LinesField {...props} />;
    case 'json':
      return <JsonField id={id} value={value} onChange={onChange} />;
  }
}

/** The value of an option is its place: values may be of any type. */
function ChoiceField({ id, schema, value, isRequired, onChange }: ControlProps) {
  const options = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const at = options.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  return (
    <select
      id={id}
      value={at < 0 ? '' : String(at)}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : options[Number(currentTarget.value)])
      }
      className={inputLook}
    >
      <option value="">{isRequired ? text.playground.choose : text.playground.unset}</option>
      {options.map((option, index) => (
        <option key={JSON.stringify(option)} value={index}>
          {typeof option === 'string' ? option : JSON.stringify(option)}
        </option>
      ))}
    </select>
  );
}

function NumberField({ id, schema, value, onChange }: ControlProps) {
  return (
    <input
      id={id}
      type="number"
      step={typesOf(schema)[0] === 'integer' ? 1 : 'any'}
      value={typeof value === 'number' ? value : ''}
      placeholder={schema['default'] === undefined ? '' : String(schema['default'])}
      onChange={({ currentTarget }) => {
        const { valueAsNumber: given } = currentTarget;
        onChange(Number.isNaN(given) ? undefined : given);
      }}
      className={inputLook}
    />
  );
}

/** An empty optional text counts as absent. */
function TextField({ id, schema, value, onChange }: ControlProps) {
  const { maxLength, default: byDefault } = schema;
  const props = {
    id,
    value: typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value),
    placeholder: typeof byDefault === 'string' ? byDefault : '',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value || undefined),
    className: inputLook,
  };
  const isLong = typeof maxLength !== 'number' || maxLength > 300;
  return isLong && schema['pattern'] === undefined && schema['anyOf'] === undefined ? (
    <textarea {...props} rows={3} />
  ) : (
    <input {...props} type="text" autoComplete="off" />
  );
}

function LinesField({ id, value, onChange }: ControlProps) {
  const lines = Array.isArray(value) ? value.map(String) : [];
  return (
    <>
      <textarea
        id={id}
        rows={3}
        value={lines.join('\n')}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : currentTarget.value.split('\n'))
        }
        className={inputLook}
      />
      <p className="mt-1 text-soft text-xs">{text.playground.lines}</p>
    </>
  );
}

/** Keeps what is typed while it is not JSON; then the value stays as it was. */
export function JsonField(props: {
  id: string;
  value: unknown;
  rows?: number;
  onChange: (value: unknown) => void;
}) {
  const { id, value, rows = 5, onChange } = props;
  const written = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState(written);
  const [isWrong, setWrong] = useState(false);
  return (
    <>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        value={typed}
        aria-invalid={isWrong}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          const parsed = parseJson(currentTarget.value);
          setWrong(parsed === null);
          if (parsed) onChange(parsed.value);
        }}
        className={`${inputLook} font-mono text-xs`}
      />
      {isWrong && <p className="mt-1 text-bad text-xs">{text.playground.notJson}</p>}
    </>
  );
}

function parseJson(typed: string): { value: unknown } | null {
  if (typed.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return null;
  }
}

type FileProps = { id: string; value: unknown; upload: Upload; onChange: (value: unknown) => void };

function FilesField({ id, value, upload, onChange }: FileProps) {
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

/** A file of this computer, dropped or chosen, is uploaded at once; the value is its id. */
function FileField({ id, value, upload, onChange }: FileProps) {
  const [chosen, setChosen] = useState<File | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const take = (file: File | undefined) => {
    if (!file) return;
    setChosen(file);
    setBusy(true);
    setError(null);
    upload(file)
      .then(({ file_id: uploaded }) => onChange(uploaded))
      .catch((reason: unknown) => {
        setChosen(null);
        setError(reason instanceof Error ? reason.message : text.lost);
      })
      .finally(() => setBusy(false));
  };
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
          <Button
            onClick={() => {
              setChosen(null);
              onChange(undefined);
            }}
          >
            {text.playground.removeFile}
          </Button>
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
