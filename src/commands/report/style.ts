/** The page's style: its own colours for light and dark, system fonts, nothing loaded. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d0d7de;--mark:#0550ae;--good:#116329;--warn:#953800}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;--card:#161b22;--line:#30363d;--mark:#79c0ff;--good:#7ee787;--warn:#ffa657}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:68rem;margin:0 auto;padding:1rem 1.25rem}
h1{font-size:1.6rem;margin:.5rem 0 0}h2{font-size:1.15rem;margin:2rem 0 .6rem}h3{font-size:1rem;margin:1rem 0 .3rem}
p{margin:.3rem 0}.lead{font-size:1.1rem;max-width:60rem}ul{margin:.3rem 0;padding-left:1.2rem;overflow-wrap:anywhere}.soft{color:var(--soft)}
nav ul{display:flex;flex-wrap:wrap;gap:.4rem 1rem;list-style:none;padding:0;margin:.8rem 0 0}
a{color:var(--mark)}a:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem;border-bottom:1px solid var(--line)}
tr:last-child td{border-bottom:0}th{background:var(--card);font-weight:600}
td{overflow-wrap:break-word}td:last-child{overflow-wrap:anywhere}td.time,td.number{white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.75rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.person{color:var(--mark);font-weight:600}.agent{color:var(--good);font-weight:600}.tool,.system{color:var(--soft)}
td.time{width:11rem}.tall>.wide{max-height:36rem;overflow-y:auto}
@media(max-width:600px){td.time{white-space:normal;width:auto;min-width:5.2rem}th,td{padding:.3rem .4rem}}
@media print{.tall>.wide{max-height:none}nav{display:none}}
`;
