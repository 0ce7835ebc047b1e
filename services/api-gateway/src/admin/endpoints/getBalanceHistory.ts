import { listDayBalances } from '@holdfast/db/transfers';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { amount, idParams, integerParameter } from '../../http/fields.ts';
import { findOrganization } from '../organizations.ts';

const DayBalance = z
  .object({
    day: z.iso.date().describe('Day in UTC'),
    available: amount('The available balance at its end; of today: now'),
    held: amount('The balance that was held then'),
  })
  .meta({ id: 'DayBalance' });

export const getBalanceHistory = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations/{id}/balance/history',
  tag: 'Organizations',
  summary: "Read an organization's balance by day",
  description:
    'Begins with the first day that has a balance. Read transactions for the exact balance at a moment.',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  query: z.object({
    days: integerParameter({ min: 1, max: 90, default: 30 }).describe('Number of days'),
  }),
  responses: {
    200: {
      description: 'The balances, oldest first',
      schema: z.object({ data: z.array(DayBalance) }).meta({ id: 'BalanceHistory' }),
    },
  },
  async handle({ context, params, query }) {
    const { id } = await findOrganization(context, params.id);
    const rows = await context.reader.read('operators', (db) => listDayBalances(db, id, query.days));
    const data = rows.map(({ day, available, held }) => ({
      day,
      available: formatMoney(available),
      held: formatMoney(held),
    }));
    return { status: 200, body: { data } };
  },
});
