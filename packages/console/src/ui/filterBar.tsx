import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { Field, inputLook } from './field.tsx';
import { stateText } from './values.tsx';

type Value = string | undefined;

/** The filters with a change, without filters that filter nothing. */
export function changed<Filters extends object>(filters: Filters, change: Filters): Filters {
  const all = Object.entries({ ...filters, ...change });
  return Object.fromEntries(all.filter(([, value]) => value)) as Filters;
}

/** What was given to a filter as a time and is none. */
export function WrongTimes({ of }: { of: readonly string[] }) {
  return of.map((given) => (
    <p key={given} role="alert" className="mb-4 text-bad">
      {text.list.notATime(given)}
    </p>
  ));
}

/** The fields of a list's filters. */
export function FilterBar(props: {
  columns: string;
  isFiltered: boolean;
  onClear: () => void;
  children: ReactNode;
}) {
  const { columns, isFiltered, onClear, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [clears, setClears] = useState(0);
  useEffect(() => {
    // The button is gone.
    if (clears > 0) form.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [clears]);
  const clear = () => {
    setClears(clears + 1);
    onClear();
  };
  return (
    <form ref={form} className={`mb-4 grid grid-cols-2 items-end gap-2 ${columns}`}>
      <Fragment key={clears}>{children}</Fragment>
      {isFiltered && (
        <div>
          <Button onClick={clear}>{text.list.clear}</Button>
        </div>
      )}
    </form>
  );
}

/** A field whose value counts once it is left, or on Enter, which submits no form. */
export function Typed(props: {
  label: string;
  value: Value;
  /** An empty field gets its value back. */
  isRequired?: boolean;
  /** What is wrong with the text of the field, which stays meanwhile. */
  problem?: string | undefined;
  type?: 'text' | 'search' | 'datetime-local';
  placeholder?: string;
  /** The id of a `datalist` with suggestions. */
  list?: string;
  onChange: (value: string) => void;
}) {
  const {
    label,
    value = '',
    isRequired = false,
    problem,
    type = 'text',
    placeholder,
    list,
    onChange,
  } = props;
  const input = useRef<HTMLInputElement>(null);
  const entered = useRef(value);
  useEffect(() => {
    if (input.current === null) return;
    input.current.setCustomValidity(problem ?? '');
    if (problem !== undefined) return;
    const isTyping = input.current === document.activeElement && input.current.value !== entered.current;
    if (!isTyping) input.current.value = value;
    entered.current = value;
  }, [value, problem]);
  const enter = (field: HTMLInputElement) => {
    field.value = field.value.trim() || (isRequired ? value : '');
    if (field.value === entered.current) return;
    entered.current = field.value;
    onChange(field.value);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    enter(event.currentTarget);
  };
  return (
    <Field label={label}>
      <input
        ref={input}
        type={type}
        defaultValue={value}
        placeholder={placeholder}
        list={list}
        aria-invalid={problem !== undefined}
        onBlur={({ currentTarget }) => enter(currentTarget)}
        onKeyDown={onKeyDown}
        className={inputLook}
      />
    </Field>
  );
}

export function Chosen(props: {
  label: string;
  any: string;
  value: Value;
  of: readonly string[];
  onChange: (value: string) => void;
}) {
  const { label, any, value = '', of, onChange } = props;
  const options = value && !of.includes(value) ? [...of, value] : of;
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className={inputLook}
      >
        <option value="">{any}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option.split(',').map(stateText).join(text.list.or)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** One of named values, without a value for any. */
export function Choice<Value extends string>(props: {
  label: string;
  value: Value;
  of: readonly Value[];
  names: Readonly<Record<Value, string>>;
  onChange: (value: Value) => void;
}) {
  const { label, value, of, names, onChange } = props;
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
        className={inputLook}
      >
        {of.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </Field>
  );
}
