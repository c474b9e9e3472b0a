/** The script of the page: paging and filtering the timeline. Texts are inserted as text, never as markup. */
export const SCRIPT = `'use strict';
const events=JSON.parse(document.getElementById('events').textContent);
const SIZE=200,names={p:'person',a:'agent',t:'tool',s:'system'};
const get=(id)=>document.getElementById(id);
const body=get('rows'),who=get('who'),find=get('find'),state=get('shown'),older=get('older'),newer=get('newer');
let found=events,at=0;
const marks=/\`([^\`]+)\`|\\*\\*(?=\\S)([^*]*[^*\\s])\\*\\*|~~(?=\\S)([^~]*[^~\\s])~~/g,kinds=['','code','strong','s'];
function put(node,text){
  let at=0;
  for(const found of text.matchAll(marks)){
    const kind=[1,2,3].find((k)=>found[k]!==undefined),part=document.createElement(kinds[kind]);
    part.textContent=found[kind];
    node.append(text.slice(at,found.index),part);at=found.index+found[0].length;
  }
  node.append(text.slice(at));
}
function cell(row,text,name){const td=document.createElement('td');put(td,text);if(name)td.className=name;row.append(td);}
function draw(){
  const rows=document.createDocumentFragment();
  for(const [time,kind,name,text] of found.slice(at,at+SIZE)){
    const row=document.createElement('tr');
    cell(row,time,'time');cell(row,name?names[kind]+' · '+name:names[kind],names[kind]);cell(row,text);
    rows.append(row);
  }
  body.replaceChildren(rows);
  const last=Math.min(found.length,at+SIZE);
  state.textContent=found.length===0?'nothing found':(at+1)+' to '+last+' of '+found.length;
  older.disabled=at===0;newer.disabled=last>=found.length;
}
function filter(){
  const words=find.value.toLowerCase(),kind=who.value;
  found=events.filter((event)=>(kind===''||event[1]===kind)&&(words===''||(event[2]+' '+event[3]).toLowerCase().includes(words)));
  at=Math.max(0,Math.floor((found.length-1)/SIZE)*SIZE);draw();
}
older.addEventListener('click',()=>{at=Math.max(0,at-SIZE);draw();});
newer.addEventListener('click',()=>{at+=SIZE;draw();});
who.addEventListener('change',filter);find.addEventListener('input',filter);
filter();
`;
