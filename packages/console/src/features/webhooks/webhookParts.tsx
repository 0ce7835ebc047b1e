import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Meter } from '../../ui/charts.tsx';
import { duration, flooredPercent } from '../../ui/format.ts';

const tab = 'border-b-2 border-transparent px-1 py-2 text-soft hover:text-ink';
const activeTab = { className: 'border-accent! font-medium text-ink!' };

export function WebhookTabs() {
  return (
    <nav aria-label={text.webhooks.title} className="mb-4 flex gap-5 border-line border-b">
      <Link
        to="/webhooks"
        className={tab}
        activeProps={activeTab}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        {text.webhooks.endpoints}
      </Link>
      <Link
        to="/webhooks/deliveries"
        className={tab}
        activeProps={activeTab}
        activeOptions={{ includeSearch: false }}
      >
        {text.webhooks.deliveries}
      </Link>
    </nav>
  );
}

export function SuccessRate({ of: { attempts, succeeded } }: { of: Schemas['EndpointActivity'] }) {
  if (attempts === 0) return <span className="text-soft">{text.webhooks.noAttempts}</span>;
  const share = succeeded / attempts;
  return (
    <span className="block min-w-20">
      <span className="tabular-nums">{flooredPercent(share)}</span>
      <span className="ml-1.5 text-soft text-xs">{text.webhooks.ofAttempts(succeeded, attempts)}</span>
      <Meter share={share} look={share < 0.9 ? 'bad' : 'good'} />
    </span>
  );
}

export function Latency({ of: { p50_ms: p50, p95_ms: p95 } }: { of: Schemas['EndpointActivity'] }) {
  if (p50 === null) return <span className="text-soft">–</span>;
  return <span className="whitespace-nowrap tabular-nums">{`${duration(p50)} / ${duration(p95)}`}</span>;
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="divide-y divide-line">
      {of.map(([name, value]) => (
        <div
          key={name}
          className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-2 first:pt-0 last:pb-0"
        >
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
