import type ICAL from 'ical.js';

const TEXT_CHARACTERS = 200;

/** The name of an event. */
export function summaryOf(component: ICAL.Component): string {
  return textOf(component, 'summary') ?? 'something without a name';
}

/** A property's text on one line, or undefined when there is none. */
export function textOf(component: ICAL.Component, name: string): string | undefined {
  const value = component.getFirstPropertyValue(name);
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return text === '' ? undefined : text.slice(0, TEXT_CHARACTERS);
}
