const root = document.documentElement;
const one = (selector, from = document) => from.querySelector(selector);

/** An element with properties and children; text is never read as HTML. */
export function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Theme
function isDark() {
  const { theme } = root.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

one('.theme').addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  localStorage.setItem('holdfast-theme', root.dataset.theme);
  document.dispatchEvent(new Event('themechange'));
});

// Navigation of narrow screens
const menu = one('.menu');
function showNavigation(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen));
  document.body.classList.toggle('open', isOpen);
}
menu.addEventListener('click', () => showNavigation(menu.getAttribute('aria-expanded') !== 'true'));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') showNavigation(false);
});
const navigation = one('#navigation');
const current = one('[aria-current]', navigation);
if (current) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 3;

// Samples: a copy button each, and neighbours in several languages behind tabs
function copyButton(sample) {
  const button = made('button', {
    type: 'button',
    className: 'copy',
    textContent: 'Copy',
    ariaLive: 'polite',
  });
  button.addEventListener('click', async () => {
    await copy(one('code', sample));
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  return button;
}

/** A page over plain http has no clipboard, except on localhost. */
async function copy(code) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  document.execCommand('copy');
}

/** Gives the samples in an element copy buttons and tabs. */
export function equipSamples(within) {
  for (const sample of within.querySelectorAll('.sample')) sample.append(copyButton(sample));
  for (const run of runsOfSamples(within)) makeTabs(run);
  const preferred = localStorage.getItem('holdfast-language');
  if (preferred) choose(preferred);
}

function runsOfSamples(within) {
  const runs = [];
  for (const sample of within.querySelectorAll('.sample')) {
    const last = runs.at(-1);
    if (last && last.at(-1).nextElementSibling === sample) last.push(sample);
    else runs.push([sample]);
  }
  return runs.filter(
    (run) => new Set(run.map(({ dataset }) => dataset.language)).size === run.length && run.length > 1,
  );
}

function choose(language) {
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const group = tab.closest('.tabs');
    if (!group.dataset.languages.split(',').includes(language)) continue;
    const isChosen = tab.textContent === language;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls')).hidden = !isChosen;
  }
}

let tabGroups = 0;

function makeTabs(run) {
  const number = ++tabGroups;
  const languages = run.map(({ dataset }) => dataset.language);
  const list = made('div', { role: 'tablist', ariaLabel: 'Language' });
  const group = made('div', { className: 'tabs' }, list);
  group.dataset.languages = languages.join(',');
  run[0].before(group);
  for (const [index, sample] of run.entries()) {
    sample.id = `sample-${number}-${index}`;
    sample.setAttribute('role', 'tabpanel');
    sample.setAttribute('aria-label', languages[index]);
    const tab = made('button', { type: 'button', role: 'tab', textContent: languages[index] });
    tab.setAttribute('aria-controls', sample.id);
    tab.addEventListener('click', () => {
      choose(languages[index]);
      localStorage.setItem('holdfast-language', languages[index]);
    });
    list.append(tab);
    group.append(sample);
  }
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = languages.indexOf(document.activeElement.textContent);
    const tab = list.children[(at + step + languages.length) % languages.length];
    tab.click();
    tab.focus();
  });
  choose(languages[0]);
}

equipSamples(document);

// The outline marks the section that is being read
const outlined = [...document.querySelectorAll('aside a')].map((link) => ({
  link,
  heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}));
function markSection() {
  const read = outlined.findLast(({ heading }) => heading.getBoundingClientRect().top < innerHeight / 4);
  for (const { link } of outlined) {
    if (link === read?.link) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}
if (outlined.length > 0) document.addEventListener('scroll', markSection, { passive: true });

// Search
const finder = one('.finder');
const input = one('input', finder);
const results = one('ol', finder);
let loading;

async function loadIndex() {
  const [{ default: MiniSearch }, { searchOptions }, response] = await Promise.all([
    import('./minisearch.js'),
    import('./searchOptions.js'),
    fetch(new URL('search.json', new URL(root.dataset.root, location.href))),
  ]);
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), searchOptions);
}

function openFinder() {
  finder.showModal();
  input.select();
  void search();
}

async function search() {
  loading ??= loadIndex();
  const index = await loading.catch(() => undefined);
  if (index === undefined) {
    loading = undefined;
    results.replaceChildren(
      made('li', { className: 'none', textContent: 'The search did not load. Type to try again.' }),
    );
    return;
  }
  const base = new URL(root.dataset.root, location.href);
  const found = index.search(input.value).slice(0, 12);
  results.replaceChildren(
    ...found.map(({ location: place, title, heading, excerpt, section }) => {
      const trail = heading === title ? section : `${section} › ${title}`;
      const link = made('a', { href: new URL(place, base).href }, made('b', { textContent: heading }));
      link.append(made('small', { textContent: trail }), made('span', { textContent: excerpt }));
      return made('li', {}, link);
    }),
  );
  if (found.length === 0 && input.value.trim() !== '')
    results.replaceChildren(made('li', { className: 'none', textContent: 'Nothing found.' }));
}

for (const button of document.querySelectorAll('.search, .find'))
  button.addEventListener('click', openFinder);
input.addEventListener('input', search);
results.addEventListener('click', () => finder.close());
finder.addEventListener('click', (event) => {
  if (event.target === finder) finder.close();
});
finder.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
  else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
  else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
  if ((event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey))) {
    event.preventDefault();
    if (!finder.open) openFinder();
  }
});
