import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { inputLook } from '../../ui/field.tsx';
import { executionQuery } from './filters.ts';
import { isBatchId, pageOfId } from './search.ts';

/** `kind`: what the place is, as people call it. */
type Place = {
  kind: string;
  name: string;
  to: string;
  params?: { id: string; organization?: string };
  search?: { q: string };
};

const perKind = 5;

/** The places that the text leads to: organizations by name, executions as their list finds them, a batch by its id. */
async function find(typed: string, signal: AbortSignal): Promise<Place[]> {
  if (isBatchId(typed)) return await findBatch(typed, signal);
  const [organizations, executions] = await Promise.all([
    read<Schemas['OrganizationPage']>('/organizations', { text: typed, limit: perKind }, signal),
    read<Schemas['AnyExecutionPage']>(
      '/executions',
      { ...executionQuery({ q: typed }), limit: perKind },
      signal,
    ),
  ]);
  return [
    ...organizations.data.map(({ id, name }) => ({
      kind: text.list.organization,
      name,
      to: '/organizations/$id',
      params: { id },
    })),
    ...executions.data.map(({ id, model }) => ({
      kind: text.list.execution,
      name: `${model} ${id}`,
      to: '/executions/$id',
      params: { id },
    })),
  ];
}

async function findBatch(id: string, signal: AbortSignal): Promise<Place[]> {
  const { data } = await read<Schemas['AnyBatchPage']>('/batches', { id, limit: 1 }, signal);
  return data.map(({ organization_id: organization }) => ({
    kind: text.find.batch,
    name: id,
    to: '/batches/$organization/$id',
    params: { organization, id },
  }));
}

/** One field that leads to everything: arrows choose, Enter opens. `pages`: those of the navigation. */
export function Palette(props: {
  pages: readonly (readonly [to: string, name: string])[];
  onClose: () => void;
}) {
  const { pages, onClose } = props;
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const wanted = typed.trim();
  const { data: found = [], error } = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => find(wanted, signal),
    enabled: wanted.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const named = pages
    .filter(([, name]) => name.toLowerCase().includes(wanted.toLowerCase()))
    .map(([to, name]) => ({ kind: text.find.page, name, to }));
  const places: Place[] = [...named, ...(wanted.length > 1 ? found : [])];
  const chosen = Math.min(at, places.length - 1);

  const open = (place: Omit<Place, 'kind' | 'name'> | undefined) => {
    if (!place) return;
    onClose();
    // The address of a place is one of the routes, each of which checks its own parameters.
    void navigate(place as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + places.length) % Math.max(places.length, 1));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) open(places[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here
        autoFocus
        role="combobox"
        aria-label={text.find.title}
        aria-expanded={places.length > 0}
        aria-controls={listId}
        aria-activedescendant={places[chosen] && `${listId} ${chosen}`.replace(' ', '-')}
        placeholder={text.find.hint}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          const page = pageOfId(value);
          // A whole id names one page: there is nothing to choose.
          if (page) return open({ to: page.to, params: { id: page.id } });
          setTyped(value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className={inputLook}
      />
      <div id={listId} role="listbox" aria-label={text.find.title} className="mt-2 max-h-80 overflow-y-auto">
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={`${place.to} ${place.params?.id ?? ''}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(place)}
            className={`flex cursor-pointer items-baseline justify-between gap-3 rounded px-2 py-1.5 hover:bg-hover ${index === chosen ? 'bg-hover' : ''}`}
          >
            <span className="min-w-0 truncate">{place.name}</span>
            <span className="text-soft text-xs">{place.kind}</span>
          </div>
        ))}
      </div>
      {error && <p className="mt-2 text-bad text-xs">{error.message}</p>}
      {places.length === 0 && !error && <p className="mt-2 text-soft">{text.find.none}</p>}
    </>
  );
}

/** What the keys do, in all pages. */
export function Keys() {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
      {text.find.keys.map(([keys, effect]) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded border border-line px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  );
}
