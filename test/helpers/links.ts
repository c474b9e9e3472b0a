/** What of a Markdown page is text: code has neither links nor headings. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^(```+|~~~+)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, 'x');
}

/** Where the links and pictures of a Markdown page lead, except to other sites. */
export function relativeLinks(markdown: string): string[] {
  const text = withoutCode(markdown);
  const links = [
    ...text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g),
    ...text.matchAll(/\b(?:href|src|srcset)="([^"\s]+)"/g),
  ];
  return links.map(([, target = '']) => target).filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target));
}
