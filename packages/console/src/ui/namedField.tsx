import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useId, useState } from 'react';
import { text } from '../strings.ts';
import { Typed } from './filterBar.tsx';
import { Problem } from './states.tsx';

export type Named = { id: string; name: string };

const shownChoices = 10;

export const shortened = (id: string) => `${id.slice(0, 12)}…${id.slice(-6)}`;

/** The only one with this name, or the only one that was found; null: it is not clear which one is meant. */
function meant(found: Named[], typed: string): Named | null {
  const lower = typed.toLowerCase();
  const same = found.filter(({ name }) => name === typed);
  const alike = found.filter(({ name }) => name.toLowerCase() === lower);
  const [only, ...others] = [same, alike, found].find(({ length }) => length > 0) ?? [];
  return only && others.length === 0 ? only : null;
}

/** A field for an id, which also takes names, and shows the name of the chosen one. */
export function NamedField(props: {
  label: string;
  placeholder: string;
  prefix: 'org' | 'wh';
  value: string | undefined;
  /** Null or undefined: it is not known (yet). */
  name: string | null | undefined;
  isRequired?: boolean;
  suggested?: Named[];
  find: (typed: string) => Promise<Named[]>;
  none: (typed: string) => string;
  onChange: (id: string) => void;
}) {
  const {
    label,
    placeholder,
    prefix,
    value,
    name,
    isRequired = false,
    suggested = [],
    find,
    none,
    onChange,
  } = props;
  const shown = name ?? value;
  const [typed, setTyped] = useState('');
  const { data: found, error } = useQuery({
    queryKey: [prefix, 'named', typed],
    queryFn: () => find(typed),
    enabled: typed !== '',
  });
  const one = found && meant(found, typed);
  useEffect(() => {
    if (!one) return;
    setTyped('');
    onChange(one.id);
  }, [one, onChange]);
  const enter = (entered: string) => {
    const isDone = entered === '' || new RegExp(`^${prefix}_[0-9a-f-]{36}$`).test(entered);
    setTyped(isDone || entered === shown ? '' : entered);
    if (isDone) onChange(entered);
  };
  const list = useId();
  const choose = (id: string) => (event: MouseEvent<HTMLButtonElement>) => {
    event.currentTarget.form?.querySelector<HTMLElement>(`[list="${list}"]`)?.focus();
    enter(id);
  };
  return (
    <>
      <Typed
        label={label}
        placeholder={placeholder}
        list={list}
        value={shown}
        isRequired={isRequired}
        problem={typed === '' ? undefined : text.list.undecided}
        onChange={enter}
      />
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </datalist>
      <div role="status" className="order-last col-span-full empty:hidden">
        {error && <Problem error={error} />}
        {found?.length === 0 && <p className="text-bad">{none(typed)}</p>}
        {found && found.length > 1 && !one && (
          <>
            <p>{text.list.several(typed)}</p>
            <ul className="flex flex-wrap gap-x-4">
              {found.slice(0, shownChoices).map(({ id, name: choice }) => (
                <li key={id}>
                  <button
                    type="button"
                    onClick={choose(id)}
                    title={id}
                    className="line-clamp-2 break-all text-left underline"
                  >
                    {choice} <span className="text-soft text-xs">{shortened(id)}</span>
                  </button>
                </li>
              ))}
              {found.length > shownChoices && <li className="text-soft">{text.list.evenMore}</li>}
            </ul>
          </>
        )}
      </div>
    </>
  );
}
