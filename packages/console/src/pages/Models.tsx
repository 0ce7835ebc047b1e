import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Model, useModels } from '../features/models/models.ts';
import { text } from '../strings.ts';
import { inputLook } from '../ui/field.tsx';
import { Heading } from '../ui/heading.tsx';
import { useListKeys } from '../ui/lists.tsx';
import { opensLink, rowLook } from '../ui/row.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Id, Status } from '../ui/values.tsx';

export function Models() {
  const { data, error, isPending, refetch } = useModels();
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
      </div>
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

function Row({ of: { slug, name, isActive, definition } }: { of: Model }) {
  return (
    <li
      {...opensLink}
      className={`flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 ${rowLook}`}
    >
      <Link
        data-row
        to="/models/$slug"
        params={{ slug }}
        className="min-w-0 flex-1 basis-full rounded sm:basis-64"
      >
        <span className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium">{name}</span>
          <Id of={slug} />
        </span>
        <span className="block truncate text-soft text-xs">{definition.description}</span>
      </Link>
      <span className="flex-1 text-soft text-xs sm:flex-none">
        {definition.providers.map(({ connection }) => connection).join(' → ')}
      </span>
      <span className="w-24">
        <Status of={isActive ? text.models.offered : text.models.notOffered} />
      </span>
    </li>
  );
}
