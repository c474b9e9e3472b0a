export const fmt = (cents) => `${(cents / 100).toFixed(2)} EUR`;

/** Items are { name, cents }, with tobacco: true where it is. */
export const total = (items) => items.reduce((sum, item) => sum + item.cents, 0);

export const receipt = (items) =>
  ['Reciept', ...items.map((item) => `${item.name}  ${fmt(item.cents)}`), `Total  ${fmt(total(items))}`].join(
    '\n',
  );
