import { until } from '@holdfast/testkit/until';
import type { Page } from '@playwright/test';
import { untilText } from '../pages.ts';
import { admin, ann } from './operator.ts';
import { expect, open, test } from './world.ts';

const yaml = (price: string) => `slug: of-the-console # a comment
provider: { adapter: cog, connection: sandbox, model: sandbox-text, mode: sync }
input_schema: { type: object, properties: { prompt: { type: string } }, examples: [{ prompt: Hello }] }
price: { per_run: ${price} }
timeout_s: 60
output: { kind: text }
`;

type Stored = { version: string; yaml: string; source: string; is_active: boolean };
const path = '/models/of-the-console';

const textOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });

/** Types as a person does: `fill` has Chromium merge the lines itself, with styles in their markup, which the policy refuses. */
async function write(page: Page, text: string): Promise<void> {
  await textOf(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

test('a model is written with suggestions and a dry run, applied, run, disabled and offered again', async ({
  ann: page,
  problems,
  state,
}) => {
  await open(page, '/models');
  await page.getByRole('link', { name: 'New model' }).click();
  await write(page, yaml('0.01'));
  await untilText(page, '1 problem');
  await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await press(page, 'Line 4');
  await expect(textOf(page)).toBeFocused();
  await write(page, yaml('"0.02"'));
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('displ');
  await page.getByRole('option', { name: 'display_name' }).click();
  await page.keyboard.type('Written here');
  await untilText(page, 'of-the-console is a new model.');
  await untilText(page, 'It will be offered within 5 seconds.');
  await press(page, 'Apply');
  await page.getByRole('heading', { name: 'Written here' }).waitFor();
  await untilText(page, 'from the console');
  const stored = await admin<Stored>(state, path);
  expect(stored).toMatchObject({ source: 'console', yaml: `${yaml('"0.02"')}display_name: Written here` });

  await page.getByRole('link', { name: 'Run in the playground' }).click();
  await page.getByLabel('prompt').fill('Hello');
  await press(page, 'Run');
  await untilText(page, 'COMPLETED');
  await untilText(page, '0.02');

  for (const [verb, isActive] of [
    ['Disable', false],
    ['Offer to clients', true],
  ] as const) {
    await open(page, path);
    await press(page, verb);
    await page.locator('dialog[open] button').last().click();
    await page
      .getByRole('button', { name: isActive ? 'Disable' : 'Offer to clients', exact: true })
      .waitFor();
    expect((await admin<Stored>(state, path)).is_active).toBe(isActive);
  }
  await open(page, '/actions');
  await untilText(page, 'applied the model');
  expect(problems).toEqual([]);
});

test('a model that someone else has changed is not overwritten, but compared with again', async ({
  ann: page,
  state,
}) => {
  const put = async (price: string, version: string | null) => {
    const response = await fetch(`${state.admin_url}/admin/v1${path}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${ann}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ yaml: yaml(price), version }),
    });
    return ((await response.json()) as Stored).version;
  };
  const { version = null } = await admin<Partial<Stored>>(state, path);
  const seen = await put('"0.03"', version);
  await open(page, '/models/-/edit?model=of-the-console');
  await write(page, yaml('"0.05"'));
  await untilText(page, '1 field of of-the-console changes.');
  await untilText(page, '− 0.03');
  await put('"0.04"', seen);
  await press(page, 'Apply');
  await untilText(page, 'was changed by the console at');
  await untilText(page, 'Someone has changed this model since you opened it.');
  await untilText(page, '− 0.04');
  expect((await admin<Stored>(state, path)).yaml).toBe(yaml('"0.04"'));
  await press(page, 'Load the current text');
  await untilText(page, 'Nothing changes in of-the-console.');
  await expect(page.getByText('Someone has changed this model')).toBeHidden();
  await write(page, yaml('"0.05"'));
  await untilText(page, '− 0.04');
  await press(page, 'Apply');
  await until('it is applied', async () => (await admin<Stored>(state, path)).yaml === yaml('"0.05"'));
});

test('a viewer reads the text of a model, and can change nothing', async ({ val: page }) => {
  await open(page, '/models/-/edit?model=sandbox-text');
  await untilText(page, 'Nothing changes in sandbox-text.');
  await expect(textOf(page)).toHaveAttribute('aria-readonly', 'true');
  await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled();
});

test('a disabled model is tested by an operator, with its cost, and then offered to clients', async ({
  ann: page,
  problems,
  state,
}) => {
  const slug = 'to-be-tested';
  const own = yaml('"0.02"').replace('of-the-console', slug);
  const draft = `${own}provider_price: { per_run: "0.005" }\nactive: false\n`;
  const asClient = () =>
    fetch(`${state.base_url}/v1/models/${slug}`, { headers: { Authorization: `Bearer ${state.api_key}` } });
  await open(page, '/models/-/edit');
  await write(page, draft);
  await untilText(page, `${slug} is a new model.`);
  await page.getByRole('link', { name: 'Models', exact: true }).first().click();
  await page.getByRole('link', { name: 'New model' }).click();
  await untilText(page, 'Your text from before, which is not applied yet.');
  await untilText(page, 'you can try it with a test run');
  await press(page, 'Apply');
  await page.getByRole('link', { name: 'Test run' }).click();
  await untilText(page, 'Clients neither see nor run this model');
  await page.getByLabel('Organization that pays').fill(state.organization_id);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('prompt')).toHaveValue('Hello');
  await press(page, 'Run');
  await untilText(page, 'COMPLETED');
  await untilText(page, 'Cost at the provider');
  await untilText(page, '0.005');
  expect((await asClient()).status).toBe(404);
  await press(page, 'Offer to clients');
  await page.locator('dialog[open] button').last().click();
  await expect(page.getByText('Clients neither see nor run this model')).toBeHidden();
  await until('clients see it', async () => (await asClient()).ok);
  await open(page, '/models/-/edit');
  await expect(textOf(page)).toContainText('acme-text');
  expect(problems).toEqual([]);
});
