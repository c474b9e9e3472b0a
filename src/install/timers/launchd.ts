import { join } from 'node:path';
import { homeOf } from '../../fs/index.ts';
import type { Target } from '../change.ts';
import { ownFile } from '../marked-block.ts';
import type { Service } from '../system.ts';
import { noCron, type Timer } from './timer.ts';

/** A launch agent of the user (launchd.plist(5)). */
export function launchdTarget(timer: Timer, env: NodeJS.ProcessEnv): Target {
  return ownFile(pathOf(timer, env), () => plist(timer));
}

export function launchdService(timer: Timer, env: NodeJS.ProcessEnv): Service {
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const label = `${domain}/${timer.name}`;
  return {
    check: [['launchctl', 'version']],
    start: [['launchctl', 'bootstrap', domain, pathOf(timer, env)]],
    stop: [['launchctl', 'bootout', label]],
    gone: [],
    notes: [`launchctl print ${label} shows its last exit code.`],
  };
}

function pathOf({ name }: Timer, env: NodeJS.ProcessEnv): string {
  return join(homeOf(env), 'Library', 'LaunchAgents', `${name}.plist`);
}

function plist({ name, words, env, pace, kind }: Timer): string {
  const seconds = Math.max(1, Math.round(noCron(pace, kind) / 1000));
  const text = (value: string): string => `<string>${inXml(value)}</string>`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(name)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...words.map((word) => `    ${text(word)}`),
    '  </array>',
  ];
  const set = Object.entries(env);
  if (set.length > 0) {
    lines.push('  <key>EnvironmentVariables</key>', '  <dict>');
    for (const [key, value] of set) lines.push(`    <key>${key}</key>${text(value)}`);
    lines.push('  </dict>');
  }
  lines.push(
    `  <key>StartInterval</key><integer>${seconds}</integer>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>ProcessType</key><string>Background</string>',
    '</dict>',
    '</plist>',
    '',
  );
  return lines.join('\n');
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const inXml = (text: string): string => text.replace(/[&<>]/g, (sign) => NAMED[sign] ?? sign);
