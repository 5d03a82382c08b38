import { css, escape, html } from './markup.js'

describe('html', () => {
  it('escapes text in content and in quoted attributes', () => {
    const hostile = `"><script>alert('x' & "y")</script>`
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;</p>',
    )
  })

  it('keeps markup, joins lists and prints nothing for null and false', () => {
    const items = ['a', 'b'].map((each) => html`<li>${each}</li>`)
    expect(html`<p>${items}${null}${false}${undefined}${0}</p>`.toString()).toBe('<p><li>a</li><li>b</li>0</p>')
  })

  it('takes no object that only looks like markup', () => {
    const forged = { toString: () => '<script>' } as unknown as string
    expect(html`${[String(forged)]}`.toString()).toBe('&lt;script&gt;')
    expect(() => html`${forged}`.toString()).toThrow()
  })

  it('leaves a style sheet as it is written', () => {
    expect(
      css`
        /* > & ' */
      `
        .toString()
        .trim(),
    ).toBe(`/* > & ' */`)
  })
})

describe('escape', () => {
  it('replaces what XML cannot carry, and keeps line breaks', () => {
    expect(escape('a\u0000b\u001b[31m\ud800c\ufffe\n\td')).toBe('a\ufffdb\ufffd[31m\ufffdc\ufffd\n\td')
  })

  it('shows characters that would turn the text around', () => {
    expect(escape('admin\u202e\u2066nimda')).toBe('admin[U+202E][U+2066]nimda')
  })
})
