import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { read, type Schemas } from './api.ts';
import { Typed } from './filterBar.tsx';
import { text } from './strings.ts';

/** The newest organizations by id; of the others, pages show the id. */
function useNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['organizations', 'names'],
    queryFn: () => read<Schemas['OrganizationPage']>('/organizations', { limit: 100 }),
    staleTime: 60_000,
  });
  return new Map(data?.data.map(({ id, name }) => [id, name]));
}

const shortened = (id: string) => `${id.slice(0, 12)}…${id.slice(-6)}`;

export function OrganizationLink({ id }: { id: string }) {
  const name = useNames().get(id);
  return (
    <Link
      to="/organizations/$id"
      params={{ id }}
      title={id}
      className="line-clamp-2 underline decoration-line"
    >
      {name ?? <span className="whitespace-nowrap font-mono text-xs">{shortened(id)}</span>}
    </Link>
  );
}

/** The organization with this id or name, or the only one with a name that contains this; otherwise what was typed. */
async function idOf(typed: string): Promise<string> {
  if (typed === '') return typed;
  const query = { text: typed, test: 'true', limit: 100 };
  const { data } = await read<Schemas['OrganizationPage']>('/organizations', query);
  const lower = typed.toLowerCase();
  const found =
    data.find(({ id, name }) => id === typed || name === typed) ??
    data.find(({ name }) => name.toLowerCase() === lower) ??
    (data.length === 1 ? data[0] : undefined);
  return found?.id ?? typed;
}

/** A filter by id, which the browser suggests by name. */
export function OrganizationFilter(props: { value: string | undefined; onChange: (id: string) => void }) {
  const { value, onChange } = props;
  const names = useNames();
  const list = useId();
  return (
    <>
      <Typed
        label={text.list.organization}
        placeholder={text.list.organizationHint}
        list={list}
        value={value}
        onChange={(typed) => void idOf(typed).then(onChange, () => onChange(typed))}
      />
      <datalist id={list}>
        {[...names].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
