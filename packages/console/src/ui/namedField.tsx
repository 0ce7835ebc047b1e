import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useId, useState } from 'react';
import { text } from '../strings.ts';
import { Typed } from './filterBar.tsx';
import { meant, type Named, shortened } from './named.ts';
import { Problem } from './states.tsx';

const shownChoices = 10;

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
  const { label, placeholder, prefix, value, name, find, none, onChange } = props;
  const { isRequired = false, suggested = [] } = props;
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
  const choose = (id: string, event: MouseEvent<HTMLButtonElement>) => {
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
        {found && found.length > 1 && !one && <Choices typed={typed} found={found} onChoose={choose} />}
      </div>
    </>
  );
}

function Choices(props: {
  typed: string;
  found: Named[];
  onChoose: (id: string, event: MouseEvent<HTMLButtonElement>) => void;
}) {
  const { typed, found, onChoose } = props;
  return (
    <>
      <p>{text.list.several(typed)}</p>
      <ul className="flex flex-wrap gap-x-4">
        {found.slice(0, shownChoices).map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              onClick={(event) => onChoose(id, event)}
              title={id}
              className="line-clamp-2 break-all text-left underline"
            >
              {name} <span className="text-soft text-xs">{shortened(id)}</span>
            </button>
          </li>
        ))}
        {found.length > shownChoices && <li className="text-soft">{text.list.evenMore}</li>}
      </ul>
    </>
  );
}
