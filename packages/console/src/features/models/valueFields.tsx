import { useState } from 'react';
import { isNumber, parseJson } from '../../json.ts';
import { text } from '../../strings.ts';
import { inputLook } from '../../ui/field.tsx';
import { type Schema, typesOf } from './schema.ts';

type FieldProps = {
  id: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  onChange: (value: unknown) => void;
};

/** The value of an option is its place: values may be of any type. */
export function ChoiceField({ id, schema, value, isRequired, onChange }: FieldProps) {
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

export function NumberField({ id, schema, value, onChange }: FieldProps) {
  return (
    <input
      id={id}
      type="number"
      step={typesOf(schema)[0] === 'integer' ? 1 : 'any'}
      value={isNumber(value) ? String(value) : ''}
      placeholder={schema['default'] === undefined ? '' : String(schema['default'])}
      onChange={({ currentTarget }) => {
        const { value: typed, valueAsNumber: given } = currentTarget;
        const isLong = /^-?\d{16,}$/.test(typed);
        onChange(Number.isNaN(given) ? undefined : isLong ? parseJson(typed) : given);
      }}
      className={inputLook}
    />
  );
}

/** An empty optional text counts as absent. */
export function TextField({ id, schema, value, onChange }: FieldProps) {
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

export function LinesField({ id, value, onChange }: FieldProps) {
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

/** Keeps what is typed while it is not JSON; then the value stays as it was, and the form can't be submitted with it. */
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
        ref={(box) => box?.setCustomValidity(isWrong ? text.playground.notJson : '')}
        rows={rows}
        spellCheck={false}
        value={typed}
        aria-invalid={isWrong}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          const parsed = readJson(currentTarget.value);
          setWrong(parsed === null);
          if (parsed) onChange(parsed.value);
        }}
        className={`${inputLook} font-mono text-xs`}
      />
      {isWrong && <p className="mt-1 text-bad text-xs">{text.playground.notJson}</p>}
    </>
  );
}

function readJson(typed: string): { value: unknown } | null {
  if (typed.trim() === '') return { value: undefined };
  try {
    return { value: parseJson(typed) };
  } catch {
    return null;
  }
}
