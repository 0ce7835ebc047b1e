import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Empty, Field, inputLook, Problem, Skeleton, Status, Time } from '../../parts.tsx';
import { text } from '../../strings.ts';
import { change, read, type Schemas } from '../api.ts';
import { FormDialog } from '../form.tsx';
import { ShownOnce } from '../secret.tsx';
import { words } from '../strings.ts';

export function Webhooks() {
  const pages = useInfiniteQuery({
    queryKey: ['endpoints'],
    queryFn: ({ pageParam }) =>
      read<Schemas['WebhookEndpointPage']>('/webhooks/endpoints', { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap(({ endpoints }) => endpoints) ?? [];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h1 className="font-semibold text-xl">{words.nav.webhooks}</h1>
        <AddEndpoint />
      </div>
      <div className="rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {pages.data && rows.length === 0 && (
          <Empty title={words.webhooks.empty} hint={words.webhooks.emptyHint} />
        )}
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <EndpointRow key={row.id} of={row} />
          ))}
        </ul>
      </div>
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{text.list.more}</Button>
        </div>
      )}
    </>
  );
}

function EndpointRow({ of }: { of: Schemas['WebhookEndpoint'] }) {
  return (
    <li className="items-start justify-between gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:flex">
      <Link to="/webhooks/$id" params={{ id: of.id }} className="block min-w-0">
        <span className="block break-all font-medium">{of.url}</span>
        <span className="block text-soft text-xs">
          {of.events.length === 0 ? words.webhooks.all : of.events.join(', ')}
          {of.description && ` · ${of.description}`}
        </span>
      </Link>
      <span className="text-xs sm:text-right">
        <Status of={of.is_active ? 'active' : 'inactive'} />
        {of.failure_count > 0 && (
          <span className="block text-bad">{text.organizations.failures(of.failure_count)}</span>
        )}
        {of.last_success && (
          <span className="block text-soft">
            {`${words.webhooks.lastSuccess} `}
            <Time at={of.last_success} />
          </span>
        )}
      </span>
    </li>
  );
}

function AddEndpoint() {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const add = async (form: FormData) => {
    const description = String(form.get('description'));
    const events = String(form.get('events'))
      .split(',')
      .map((event) => event.trim())
      .filter((event) => event !== '');
    const made = await change<Schemas['CreatedWebhookEndpoint']>('POST', '/webhooks/endpoints', {
      body: { url: String(form.get('url')), events, ...(description && { description }) },
    });
    await client.invalidateQueries({ queryKey: ['endpoints'] });
    setSecret(made.secret);
  };
  return (
    <>
      <FormDialog label={words.webhooks.add} submit={add}>
        <Field label={words.webhooks.url}>
          <input name="url" type="url" required placeholder={words.webhooks.urlHint} className={inputLook} />
        </Field>
        <Field label={words.webhooks.description}>
          <input name="description" maxLength={200} className={inputLook} />
        </Field>
        <Field label={words.webhooks.events}>
          <input name="events" placeholder="execution.completed, execution.failed" className={inputLook} />
        </Field>
      </FormDialog>
      <ShownOnce
        value={secret}
        title={words.webhooks.secret}
        hint={words.webhooks.secretHint}
        onClose={() => setSecret(null)}
      />
    </>
  );
}
