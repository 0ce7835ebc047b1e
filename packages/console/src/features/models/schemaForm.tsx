import { type ReactNode, useId } from 'react';
import type { FieldProblem } from '../../api.ts';
import { text } from '../../strings.ts';
import { FileField, FilesField, type Upload } from './fileField.tsx';
import {
  ChoiceField,
  JsonField,
  LinesField,
  NumberField,
  type Schema,
  TextField,
  typesOf,
} from './valueFields.tsx';

export type Input = Readonly<Record<string, unknown>>;

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

/** JSON of the database has no order of its own. `x-order` is what Cog and Replicate write. */
function orderOf(schema: unknown): number {
  const order = isSchema(schema) ? schema['x-order'] : undefined;
  return typeof order === 'number' ? order : Number.MAX_VALUE;
}

/** The fields of an object's schema, those that are required first, the others by their `x-order`. */
export function SchemaForm(props: {
  schema: Schema;
  value: Input;
  problems: readonly FieldProblem[];
  upload: Upload;
  onChange: (value: Input) => void;
}) {
  const { schema, value, problems, upload, onChange } = props;
  const given = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  const properties = given.sort(([, a], [, b]) => orderOf(a) - orderOf(b));
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
          onChange={(entered) => {
            const { [name]: _, ...others } = value;
            // In the order of the schema, so that the same input is the same request.
            const all: Record<string, unknown> =
              entered === undefined ? others : { ...others, [name]: entered };
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
