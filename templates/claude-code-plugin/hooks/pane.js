import { ask } from './ask.js';

/* The pad beside the conversation. While it is closed nothing of it runs. */

const ID = 'scratchpad';
/** How often the files are looked at while the pane is open. */
const LOOK_MS = 500;
/** How often, and how many times, our server is asked for at the start of a session. */
const START_MS = 1000;
const TRIES = 20;
/** Under this key the person's wish is kept: the pane stays closed until they open it again. */
const CLOSED = 'closed';

let view;
let timer;
let stamps = '';

export const servePane = (on) => {
  on('session.start', async ($, e, next) => {
    if (e.isInteractive) openUnasked($).catch(() => {});
    return next(e);
  });
  on('command.run', { command: 'scratchpad:scratchpad' }, async ($) => {
    if (timer !== undefined) {
      await $.ui.close({ id: ID });
      await $.store.set(CLOSED, true);
      return { text: 'The scratchpad is closed.', isTextDisplayOnly: true };
    }
    await $.store.set(CLOSED, false);
    await load($);
    const placed = await open($);
    return { text: placed ? 'The scratchpad is open.' : renderText(view), isTextDisplayOnly: true };
  });
  on('ui.close', { id: 'scratchpad' }, async ($, e, next) => {
    const closed = await next(e);
    timer?.cancel();
    timer = undefined;
    if (e.origin.kind === 'person') await $.store.set(CLOSED, true);
    return closed;
  });
  on('ui.render', { component: 'Pane', requestId: 'scratchpad' }, ($, e) => {
    // A pane that waits for a wider window is not drawn, and follows nothing.
    timer ??= $.clock.every(LOOK_MS, () => follow($).catch(() => {}));
    return drawPane($.ui.resolve(e), $, e);
  });
};

/** Shows what the model was told at an event. */
export function refreshPane($) {
  if (timer !== undefined) load($).catch(() => {});
}

/** At the start of a session in a folder that has a scratchpad, if the person has not closed the pane. */
async function openUnasked($) {
  if ((await $.store.get(CLOSED)) === true) return;
  for (let k = 0; k < TRIES && !view?.files; k += 1) {
    await $.clock.sleep(START_MS);
    await load($);
  }
  if (view.exists) await open($);
}

async function open($) {
  return (await $.ui.open({ id: ID, title: 'Scratchpad', rows: 16, columns: 56 })).isPlaced;
}

/** Draws again what somebody else has changed. */
async function follow($) {
  const found = await readStamps($);
  if (found !== stamps) await load($);
}

async function readStamps($) {
  const found = await Promise.all((view?.files ?? []).map((path) => $.fs.stat(path).catch(() => ({}))));
  return found.map(({ mtimeMs, size }) => `${mtimeMs} ${size}`).join();
}

/** Reads the pad, after what the person did; without that, the entry and the message that they see stay. */
async function load($, act) {
  try {
    const found = await ask($, 'pane', act ?? {});
    view =
      act === undefined && found.exists && view?.exists
        ? { ...found, entry: view.entry, message: view.message }
        : found;
  } catch {
    view = {
      ...NOTHING,
      ...view,
      message: 'the scratchpad does not answer; if that stays so, restart Claude Code',
    };
  }
  stamps = await readStamps($);
  $.ui.invalidate('ui.render');
}

const NOTHING = {
  ...{ exists: false, title: '', progress: '', entry: null },
  ...{ steps: [], notes: [], refs: [], entries: [], told: [] },
};

const markStep = ({ done, current }) => (done && '✓') || (current && '▸') || '○';

function drawPane({ Box, Text, Button, Input }, $, { surface, props }) {
  const pad = view ?? { ...NOTHING, message: 'reading the scratchpad' };
  const press = (act) => () => load($, act);
  const line = (text, more) => h(Text, { wrap: 'wrap', ...more }, text || ' ');
  const part = (title, ...rows) =>
    rows.length === 0 ? [] : [line(''), line(title, { bold: true }), ...rows];
  const message = pad.message ? [line(''), line(pad.message, { italic: true })] : [];

  if (pad.entry !== null) {
    const back = h(Button, { key: 'back', label: 'back', hotkey: 'b', onPress: press({}) });
    return h(
      Box,
      { flexDirection: 'column', paddingX: 1 },
      line(pad.entry.name, { bold: true }),
      back,
      line(pad.entry.text),
    );
  }

  const steps = pad.steps.map((step) =>
    h(Button, {
      key: `step:${step.number}`,
      label: `${markStep(step)} ${step.number}. ${step.text}`,
      plain: true,
      ...(step.done ? { dimColor: true } : {}),
      onPress: press({ act: 'tick', step: step.number }),
    }),
  );
  const entries = pad.entries.map(({ name, size }) =>
    h(Button, {
      key: `entry:${name}`,
      label: `${name} (${size})`,
      plain: true,
      onPress: press({ act: 'entry', name }),
    }),
  );
  const note = h(Input, {
    key: 'note',
    label: 'New note',
    placeholder: '…',
    value: '',
    submitLabel: 'note',
    onSubmit: (text) => load($, { act: 'note', text }),
  });
  const undo = h(Button, {
    key: 'undo',
    label: 'Undo the last change',
    hotkey: 'u',
    onPress: press({ act: 'undo' }),
  });

  const keys =
    props?.isFocused === true
      ? 'tab, shift+tab: move · enter: press · esc: leave'
      : 'ctrl+x tab: use this pane · ctrl+x x: close';
  const hint = surface === 'terminal' ? [line(keys, { dimColor: true })] : [];

  return h(
    Box,
    { flexDirection: 'column', paddingX: 1 },
    line(makeTitle(pad), { bold: true }),
    ...(pad.steps.length > 0 ? [line(renderBar(pad), { color: 'success' }), ...steps] : []),
    ...(pad.exists ? part('Notes', ...pad.notes.map((text) => line(text)), note) : []),
    ...part('Refs', ...pad.refs.map((text) => line(text))),
    ...part('Entries', ...entries),
    ...part(
      'Told to the model',
      ...pad.told.map(({ at, text }) => line(`${at} ${text}`, { dimColor: true })),
    ),
    ...message,
    ...(pad.exists ? [line(''), undo, ...hint] : []),
  );
}

/** A plan without a heading has its first step as its title. */
function makeTitle({ title, steps }) {
  if (title === '') return 'Scratchpad';
  return title === steps[0]?.text ? 'Plan' : title;
}

function renderBar({ steps, progress }) {
  const done = steps.filter((step) => step.done).length;
  return `${'▰'.repeat(done)}${'▱'.repeat(steps.length - done)} ${progress}`;
}

/** The same for a surface without panes. */
function renderText(pad) {
  const part = (title, rows) => (rows.length === 0 ? [] : ['', title, ...rows]);
  const steps = pad.steps.map((step) => `${markStep(step)} ${step.number}. ${step.text}`);
  return [
    makeTitle(pad),
    ...(steps.length > 0 ? [renderBar(pad), ...steps] : []),
    ...part('Notes', pad.notes),
    ...part('Refs', pad.refs),
    ...part(
      'Entries',
      pad.entries.map(({ name, size }) => `${name} (${size})`),
    ),
    ...part(
      'Told to the model',
      pad.told.map(({ at, text }) => `${at} ${text}`),
    ),
    ...(pad.message ? ['', pad.message] : []),
  ].join('\n');
}
