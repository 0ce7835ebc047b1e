import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Confirmed, Empty, Field, inputLook, Problem, Skeleton, Status, Time } from '../../parts.tsx';
import { text } from '../../strings.ts';
import { change, read, type Schemas } from '../api.ts';
import { FormDialog } from '../form.tsx';
import { ShownOnce } from '../secret.tsx';
import { useSession } from '../session.tsx';
import { words } from '../strings.ts';

type ApiKey = Schemas['ApiKey'];

export function Keys() {
  const client = useQueryClient();
  const [value, setValue] = useState<string | null>(null);
  const pages = useInfiniteQuery({
    queryKey: ['keys'],
    queryFn: ({ pageParam }) => read<Schemas['ApiKeyPage']>('/api-keys', { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const refresh = async () => await client.invalidateQueries({ queryKey: ['keys'] });
  const create = async (form: FormData) => {
    const scopes = form.getAll('scopes').map(String);
    const made = await change<Schemas['CreatedApiKey']>('POST', '/api-keys', {
      body: { name: String(form.get('name')), ...(scopes.length > 0 && { scopes }) },
    });
    setValue(made.key);
    await refresh();
  };
  const rotate = async (id: string) => {
    const rotated = await change<Schemas['RotatedApiKey']>('POST', `/api-keys/${id}/rotate`);
    setValue(rotated.new_key);
    await refresh();
  };
  const revoke = async (id: string) => {
    await change('DELETE', `/api-keys/${id}`);
    await refresh();
  };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h1 className="font-semibold text-xl">{words.keys.title}</h1>
        <FormDialog label={words.keys.add} submit={create}>
          <Field label={words.keys.name}>
            <input name="name" required maxLength={100} autoComplete="off" className={inputLook} />
          </Field>
          <Scopes />
        </FormDialog>
      </div>
      <div className="rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {pages.data && rows.length === 0 && <Empty title={words.keys.empty} />}
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <KeyRow key={row.id} of={row} rotate={rotate} revoke={revoke} />
          ))}
        </ul>
      </div>
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{text.list.more}</Button>
        </div>
      )}
      <ShownOnce
        value={value}
        title={words.keys.value}
        hint={words.keys.valueHint}
        onClose={() => setValue(null)}
      />
    </>
  );
}

/** Those of the session's own key: it can give no others. */
function Scopes() {
  const { data } = useSession();
  return (
    <fieldset>
      <legend className="mb-1 text-soft text-xs">{`${words.keys.scopes} (${words.keys.scopesHint})`}</legend>
      <div className="grid grid-cols-2 gap-1">
        {data?.scopes.map((scope) => (
          <label key={scope} className="flex items-center gap-2">
            <input type="checkbox" name="scopes" value={scope} className="accent-accent" />
            {scope}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function KeyRow(props: {
  of: ApiKey;
  rotate: (id: string) => Promise<void>;
  revoke: (id: string) => Promise<void>;
}) {
  const { of, rotate, revoke } = props;
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-4 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium">{of.name}</span>
          <span className="font-mono text-soft text-xs">{`${of.prefix}…`}</span>
          <Status of={of.revoked_at === null ? 'active' : words.keys.revoked} />
        </p>
        <p className="mt-0.5 text-soft text-xs">
          {of.permissions === 'full' ? 'full' : of.scopes.join(', ')}
          {of.mode === 'test' && ' · test'}
        </p>
        <p className="mt-0.5 text-soft text-xs">
          {`${words.keys.created} `}
          <Time at={of.created_at} />
          {of.expires_at && (
            <>
              {` · ${words.keys.expires} `}
              <Time at={of.expires_at} />
            </>
          )}
        </p>
      </div>
      {of.revoked_at === null && (
        <div className="flex gap-2">
          <Confirmed
            label={words.keys.rotate}
            question={words.keys.rotateQuestion(of.name)}
            act={async () => await rotate(of.id)}
          />
          <Confirmed
            label={words.keys.revoke}
            question={words.keys.revokeQuestion(of.name)}
            tone="danger"
            act={async () => await revoke(of.id)}
          />
        </div>
      )}
    </li>
  );
}
