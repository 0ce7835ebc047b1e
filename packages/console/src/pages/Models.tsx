import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { failureRate, priceOf, whyNotOffered } from '../features/models/facts.ts';
import { type Model, useModels } from '../features/models/models.ts';
import { modelEditorText } from '../strings/modelEditor.ts';
import { text } from '../strings.ts';
import { linkLook } from '../ui/button.tsx';
import { inputLook } from '../ui/field.tsx';
import { Heading } from '../ui/heading.tsx';
import { useListKeys } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Id, Status } from '../ui/values.tsx';

export function Models() {
  const { data, error, isPending, refetch } = useModels({ withActivity: true });
  const [typed, setTyped] = useState('');
  useListKeys();
  const wanted = typed.trim().toLowerCase();
  const matches = ({ slug, name, definition }: Model) =>
    [slug, name, ...definition.providers.map(({ connection }) => connection)].some((one) =>
      one.toLowerCase().includes(wanted),
    );
  // Models that can be run come first.
  const rows = (data ?? []).filter(matches).sort((a, b) => Number(b.isActive) - Number(a.isActive));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading title={text.nav.models} />
        <div className="flex flex-wrap items-center gap-3">
          <label className="w-full sm:w-72">
            <span className="sr-only">{text.models.search}</span>
            <input
              type="search"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              placeholder={text.models.search}
              className={inputLook}
            />
          </label>
          <Link to="/models/-/edit" className={linkLook}>
            {modelEditorText.create}
          </Link>
        </div>
      </div>
      {data?.some(({ activity }) => activity?.isPartial) && (
        <p className="mb-3 text-soft">{text.models.partialFailures}</p>
      )}
      <div className="rounded-lg border border-line bg-card">
        {isPending && <Skeleton />}
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {data?.length === 0 && <Empty title={text.models.empty} hint={text.models.emptyHint} />}
        {data && data.length > 0 && rows.length === 0 && <Empty title={text.models.none} />}
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <Row key={row.slug} of={row} />
          ))}
        </ul>
      </div>
    </>
  );
}

const rowGrid =
  'grid grid-cols-2 items-start gap-x-4 gap-y-1 px-4 py-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1.4fr)_9rem_9rem_7rem]';

function Row({ of: { slug, name, isActive, source, definition, activity } }: { of: Model }) {
  const { last_24_hours: day, last_7_days: week, isPartial = false } = activity ?? {};
  return (
    <li {...opensLink} className={`${rowGrid} ${rowLook}`}>
      <Link
        data-row
        to="/models/$slug"
        params={{ slug }}
        className="col-span-2 min-w-0 rounded lg:col-span-1"
      >
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium">{name}</span>
          <Id of={slug} />
        </span>
        <span className="block truncate text-soft text-xs">
          {source === 'console' && `${modelEditorText.source.console} · `}
          {definition.providers.map(({ connection }) => connection).join(' → ')}
          {definition.description && ` · ${definition.description}`}
        </span>
        {!isActive && <span className="block text-busy text-xs">{whyNotOffered(definition)}</span>}
      </Link>
      <Fact name={text.models.price}>
        <span className="text-xs">{priceOf(definition)}</span>
      </Fact>
      <Fact name={text.models.volume}>
        {day && week && `${day.completed.toLocaleString()} / ${week.completed.toLocaleString()}`}
      </Fact>
      <Fact name={text.models.failures}>
        {week?.failed === 0 && (failureRate(week, isPartial) ?? <span className="text-soft">–</span>)}
        {day && week && week.failed > 0 && (
          <Link
            to="/executions"
            search={{ model: slug, status: 'FAILED,EXPIRED' }}
            className={`underline decoration-soft ${day.failed > 0 ? 'text-bad' : ''}`}
          >
            {`${failureRate(day, isPartial) ?? '–'} / ${failureRate(week, isPartial) ?? '–'}`}
          </Link>
        )}
      </Fact>
      <span className="self-center lg:text-right">
        <Status of={isActive ? text.models.offered : text.models.notOffered} />
      </span>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="min-w-0 break-words tabular-nums">
      <span className="block text-soft text-xs">{name}</span>
      {children}
    </span>
  );
}
