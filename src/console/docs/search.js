/**
 * The search of the documents, in the browser: looks for all words that are typed in the index of search-index.mjs, which
 * is loaded at the first one. Where the index and the pages are is said by the script's element.
 */
const { index, folder, suffix } = document.currentScript.dataset;
const SHOWN_MAX = 12;

const form = document.querySelector('form[role=search]');
const input = form.querySelector('input');
const found = document.getElementById('search-results');
const status = document.getElementById('search-status');

let loading;

/** @returns The sections of all pages, each with its texts in lower case; loaded anew after a failure. */
function sections() {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load() {
  const response = await fetch(index);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { pages } = await response.json();
  return pages.flatMap(({ name, title, sections: all }) =>
    all.map(([anchor, heading, text]) => ({
      href: `${folder}${name}${suffix}${anchor === '' ? '' : `#${anchor}`}`,
      label: anchor === '' ? title : `${title}: ${heading}`,
      text,
      heading: heading.toLowerCase(),
      all: `${title} ${heading} ${text}`.toLowerCase(),
    })),
  );
}

/** Headings before texts, those that begin with a word first; otherwise in the order of the documents. */
function rank({ heading }, words) {
  const inHeading = words.filter((word) => heading.includes(word)).length;
  const atStart = words.some((word) => heading.startsWith(word)) ? 1 : 0;
  return inHeading * 2 + atStart;
}

async function search() {
  const typed = input.value;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let matches = [];
  let message = '';
  if (words.length > 0) {
    try {
      const all = await sections();
      // Something else has been typed while the index was loaded.
      if (input.value !== typed) return;
      matches = all
        .filter((each) => words.every((word) => each.all.includes(word)))
        .toSorted((one, other) => rank(other, words) - rank(one, words));
      message = matches.length === 0 ? 'Nothing found' : `${matches.length} found`;
    } catch {
      message = 'The search index could not be loaded';
    }
  }
  status.textContent = message;
  found.replaceChildren(...matches.slice(0, SHOWN_MAX).map(itemOf));
}

function itemOf({ href, label, text }) {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = label;
  const item = document.createElement('li');
  item.append(link, ` ${text}`);
  return item;
}

input.addEventListener('input', search);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void search().then(() => found.querySelector('a')?.click());
});
form.hidden = false;
// The browser has kept what was typed before, when one comes back to a page.
void search();
