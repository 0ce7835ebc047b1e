import type { Hosted } from './hosted.ts';

/** The response to a submit: see `SubmitPlan` of the fake providers. */
type Submit = NonNullable<Parameters<Hosted['fal']['plan']>[0]['submit']>;

/** The fakes of the providers that call back, behind one interface. */
export type CallbackProvider = {
  name: string;
  /** Its models: one ends by callback, one by poll. */
  callback: string;
  poll: string;
  submit(how: Submit): void;
  /** Whether its runs end by themselves, and are called back. */
  plan(part: { endsAfterMs?: number | null; callsBack?: boolean }): void;
  accepted(): string[];
  finish(id: string): Promise<number[]>;
  /** The callback URL that it received. */
  webhookOf(id: string): string;
  /** Sends the (signed) end of run `of` where run `id` is called back. */
  callBack(id: string, how?: { forged?: boolean; atS?: number; of?: string }): Promise<number>;
  wasCancelled(id: string): boolean;
  /** The number of polls. */
  polls(): number;
};

export function replicateProvider({ replicate: fake }: Pick<Hosted, 'replicate'>): CallbackProvider {
  return {
    name: 'replicate',
    callback: 'painting-one',
    poll: 'painting-one-polled',
    submit: (create) => fake.plan({ create }),
    plan: fake.plan,
    accepted: fake.accepted,
    finish: fake.finish,
    webhookOf: (id) => fake.run(id).body.webhook ?? '',
    callBack(id, { of, ...how } = {}) {
      const ended = { id: of, status: 'succeeded', output: ['https://example.com/other.png'] };
      return fake.callBack(id, of === undefined ? how : { ...how, body: ended });
    },
    wasCancelled: (id) => fake.received.some(({ path }) => path === `/v1/predictions/${id}/cancel`),
    polls: () => fake.received.filter(({ path }) => /^\/v1\/predictions\/\w+$/.test(path)).length,
  };
}

export function falProvider({ fal: fake }: Pick<Hosted, 'fal'>): CallbackProvider {
  return {
    name: 'fal',
    callback: 'painting-two',
    poll: 'painting-two-polled',
    submit: (submit) => fake.plan({ submit }),
    plan: fake.plan,
    accepted: fake.accepted,
    finish: fake.finish,
    webhookOf: (id) => fake.run(id).webhook ?? '',
    callBack(id, { of, ...how } = {}) {
      const ended = {
        request_id: of,
        status: 'OK',
        payload: { images: [{ url: 'https://example.com/o.png' }] },
      };
      return fake.callBack(id, of === undefined ? how : { ...how, body: ended });
    },
    wasCancelled: (id) => fake.run(id).isCancelled,
    polls: () => fake.received.filter(({ path }) => path.includes('/status')).length,
  };
}
