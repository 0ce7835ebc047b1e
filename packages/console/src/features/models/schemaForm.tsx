import { type ReactNode, useId } from 'react';
import type { FieldProblem } from '../../api.ts';
import { text } from '../../strings.ts';
import { FileField, FilesField, type Upload } from './fileField.tsx';
import {
  fieldsOf,
  type Input,
  inputWith,
  isAbout,
  objectOf,
  rangeOf,
  type Schema,
  type SchemaField,
} from './schema.ts';
import { ChoiceField, JsonField, LinesField, NumberField, TextField } from './valueFields.tsx';

/** A field for each property of an object's schema; for an object without any, one for its JSON. */
export function SchemaForm(props: {
  schema: Schema;
  value: Input;
  problems: readonly FieldProblem[];
  upload: Upload;
  onChange: (value: Input) => void;
}) {
  const { schema, value, problems, upload, onChange } = props;
  const fields = fieldsOf(schema);
  if (fields.length === 0)
    return <JsonField id="input" value={value} onChange={(given) => onChange(objectOf(given))} />;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {fields.map((field) => (
        <Property
          key={field.name}
          {...field}
          value={value[field.name]}
          problems={problems.filter((problem) => isAbout(problem.field, field.name))}
          upload={upload}
          onChange={(entered) => onChange(inputWith(value, field.name, entered, schema))}
        />
      ))}
    </div>
  );
}

type PropertyProps = SchemaField & {
  value: unknown;
  problems: readonly FieldProblem[];
  upload: Upload;
  onChange: (value: unknown) => void;
};

function Property(props: PropertyProps) {
  const { name, kind, schema, isRequired, problems } = props;
  const id = useId();
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
      <Control {...props} id={id} />
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

type ControlProps = PropertyProps & { id: string };

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
