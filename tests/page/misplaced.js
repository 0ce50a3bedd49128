// What stands where nobody can read it: beyond the window, cut off, over each other.
() => {
  const seen = (each) => each.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const name = (each) => `${each.tagName}.${each.className.baseVal ?? each.className} ${each.textContent.trim().slice(0, 60)}`;
  const holds = (style) => [style.overflowX, style.overflowY].some((way) => way !== "visible");
  // What is left of a box in the boxes around it that scroll or cut off.
  const within = (each, { left, top, right, bottom }) => {
    for (let at = each.parentElement; at && at !== document.body; at = at.parentElement) {
      if (!holds(getComputedStyle(at))) continue;
      const box = at.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const scrolls = (each) => {
    for (let at = each.parentElement; at && at !== document.body; at = at.parentElement) {
      const how = getComputedStyle(at);
      if (at.scrollWidth > at.clientWidth + 1 && ["auto", "scroll"].includes(how.overflowX)) return true;
      if (how.position === "fixed") return true;
    }
    return false;
  };
  const wrong = [];
  const wide = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - wide;
  if (over > 0) wrong.push(["the page overflows", over]);
  const boxes = [];
  for (const each of document.querySelectorAll("body *")) {
    if (!seen(each) || each.closest("svg, .unseen, .skip, [hidden], script, option, datalist") || scrolls(each)) continue;
    const style = getComputedStyle(each);
    const box = each.getBoundingClientRect();
    const leaf = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!leaf && !each.matches("input, textarea, select, button")) continue;
    if (box.width && (box.left < -1 || box.right > wide + 1)) wrong.push(["outside of the window", name(each)]);
    const cut = ["hidden", "clip"].includes(style.overflowX) && each.scrollWidth > each.clientWidth + 1;
    if (cut && !each.matches("input, textarea, select")) wrong.push(["cut off", name(each)]);
    for (const node of each.childNodes) {
      if (node.nodeType !== 3 || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) boxes.push([within(each, line), each]);
    }
    if (each.matches("input:not([type=hidden]), textarea, select, button")) boxes.push([within(each, box), each]);
  }
  const sticky = (each) => each.closest(".top, .decide, .told[role=status]");
  const shown = boxes.filter(([box]) => box.width > 1 && box.height > 1);
  for (let one = 0; one < shown.length; one++) {
    for (let other = one + 1; other < shown.length; other++) {
      const [[a, of], [b, by]] = [shown[one], shown[other]];
      if (of === by || of.contains(by) || by.contains(of) || !!sticky(of) !== !!sticky(by)) continue;
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Lines of one paragraph stand closer to each other than their boxes are high.
      if (width > 2 && height > Math.min(a.height, b.height) * 0.4) wrong.push(["over each other", name(of), name(by)]);
    }
  }
  return wrong;
}
