import { Scene } from './fairness/beside.ts';
import { attackerOf } from './fairness/attackers.ts';
const q=(a:number[],p:number)=>{const s=a.toSorted((x,y)=>x-y);return (s[Math.min(s.length-1,Math.floor(s.length*p))]??0).toFixed(0)};
const f=(a:number[])=>[.5,.99,1].map(p=>q(a,p)).join('/');
const workers=Number(process.env.W??1);
for (const n of process.argv.slice(2).map(Number)) {
  const a=attackerOf(n); const t=performance.now();
  const scene=await Scene.start(workers,a.owners??1);
  try { const l=await scene.look(n,{control:1500,beside:4000});
  console.log(n,a.name,`[${workers}] control ${f(l.control.waits)} (clock ${f(l.control.byClock)}) beside ${f(l.beside.waits)} (clock ${f(l.beside.byClock)})`, JSON.stringify(l.beside.errors), 'RSS',l.mb.before.toFixed(0),l.mb.most.toFixed(0),'held',a.heldMb,l.isVerified?'':'NOT VERIFIED',l.restarts.join(';'),JSON.stringify(l.statuses),((performance.now()-t)/1000).toFixed(1)+'s');
  } catch(e) {console.log(n,a.name,String(e).slice(0,1500));} finally {scene.close();}
}
process.exit(0);
