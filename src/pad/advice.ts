import type { Advice } from '../base/errors.ts';
import type { SpaceName } from './markers.ts';

const SHOW = 'session_scratchpad with action show';

export const SEE_HISTORY: Advice = {
  to: 'see what happened',
  command: 'scratchpad history',
  tool: 'session_scratchpad with action history',
  call: 'pad.history()',
};

export const TAKE_ONE: Advice = {
  to: 'make one the plan here',
  command: 'scratchpad plan take N',
  call: 'pad.plan.take(N)',
};

export function seeSpace(space: SpaceName): Advice {
  if (space === 'refs')
    return { to: 'see them', command: 'scratchpad refs', tool: SHOW, call: 'pad.refs.list()' };
  const command = space === 'plan' ? 'scratchpad plan' : 'scratchpad notes show --numbers';
  return { to: 'see it', command, tool: SHOW, call: `pad.${space}.read()` };
}

export function adviseToAdd(space: SpaceName): Advice {
  const tool = { notes: 'append_notes', plan: 'plan.add', refs: 'refs.add' }[space];
  const call = space === 'notes' ? 'append' : 'add';
  return {
    to: 'add something',
    command: `scratchpad ${space} add`,
    tool: `session_scratchpad with action ${tool}`,
    call: `pad.${space}.${call}()`,
  };
}

export const adviseToShorten = (space: Exclude<SpaceName, 'refs'>): Advice => ({
  to: `rewrite a tighter ${space === 'plan' ? 'plan' : 'summary'}`,
  command: `scratchpad ${space} set`,
  tool: `session_scratchpad with action set_${space}`,
  call: `pad.${space}.set()`,
});
