/** Words that no topic is named after: those of grammar and small talk, in languages that casts are written in. */
export const stopWords: readonly string[] = [
  // English
  'am an as at be by do go he hi id if im in is it ll me my no of oh ok on or re so to up us ve vs we ya yo',
  'about above across actually after again ago all almost also always amp and another any anyone anything are aren',
  'around ask asked away back bad because been before being best better between big bit both but came can cannot cant',
  'come comes coming could couldn cool day days did didn didnt does doesn doesnt doing don done dont down each early',
  'either else end enough even ever every everyone everything far feel few find first for found from full fun gave get',
  'gets getting give gives going gone gonna good got gotta great guess guy guys had happen happy hard has hasn have',
  'haven having hear heard hello help her here hers hey him himself his hope how however http https idk into isn isnt',
  'its itself just keep kind knew know known last late later least left less let lets like likely little lol long look',
  'looking looks lot lots love made make makes making man many may maybe mean means might mine more morning most much',
  'must myself near need needs never new next nice night nobody not nothing now off often okay old once one ones only',
  'onto other others our ours out over own part people per perhaps place point possible pretty probably put quite',
  'rather read ready real really right said same saw say saying says see seems seen several shall she should shouldn',
  'show since some someone something sometimes soon sorry start started still stop stuff such sure take taken takes',
  'talk tell than thank thanks that thats the their them then there these they thing things think thinking this those',
  'though thought three through thru time times today together tomorrow tonight too took top tried true try trying two',
  'under until upon use used using very via wait want wanted wants was wasn way ways week weeks welcome well went were',
  'weren what whatever when where which while who whole whom whose why will with within without won wont work working',
  'works world would wouldn wow www year years yes yesterday yet you your yours yourself com xyz',
  // What every day on the network is about
  'cast casts casting caster farcaster frame frames gm gn warpcast wfr degen follow following followers channel',
  // Spanish, Portuguese, French, German, Italian
  'ao au ce ci da de di do du el em en es et eu eh ha il io je la le lo ma me mi na ne no os ou se si su te ti tu un va',
  'que los las del por con una para como más mas pero sus esta este muy todo hay ser son sin sobre qué porque cuando',
  'não uma com dos das mais foi ele ela você isso pra por como mas tem ser são bem muito hoje',
  'les des est une pas pour dans sur avec qui que vous nous mais plus tout cette sont être fait bien très',
  'und der die das ist nicht ein eine ich mit auf für den von sich auch wie noch nur aber oder wir',
  'che non per una sono con del della più come anche questo',
].flatMap((line) => line.split(' '))
