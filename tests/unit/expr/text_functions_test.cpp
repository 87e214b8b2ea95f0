// Functions on texts, and conversions.
#include "evaluated.hpp"

namespace belay::expr {
namespace {

TEST(TextFunctions, CountCharactersAndNotBytes) {
    expect_all(std::vector<Case>{
        {"size('\u00e4\u00f6\U0001F600')", "3"},
        {"size(b'\u00e4')", "2"},
        {"'h\u00e4llo'.charAt(1)", "\"\u00e4\""},
        {"'abc'.charAt(3)", "\"\""},
        {"'abc'.charAt(4)", "the position 4 is out of range"},
        {"'h\u00e4llo'.substring(1, 3)", "\"\u00e4l\""},
        {"'abc'.substring(2, 1)", "the position 1 is out of range"},
        {"'h\u00e4h\u00e4'.indexOf('\u00e4')", "1"},
        {"'h\u00e4h\u00e4'.lastIndexOf('\u00e4')", "3"},
        {"'haha'.indexOf('ha', 1)", "2"},
        {"'haha'.lastIndexOf('ha', 1)", "0"},
        {"'abc'.indexOf('x')", "-1"},
        {"'h\u00e4'.reverse()", "\"\u00e4h\""},
    });
}

TEST(TextFunctions, CutReplaceAndJoin) {
    expect_all(std::vector<Case>{
        {"'a,b,,c'.split(',')", "[\"a\",\"b\",\"\",\"c\"]"},
        {"'a,b,c'.split(',', 2)", "[\"a\",\"b,c\"]"},
        {"'a,b'.split(',', 0)", "[]"},
        {"'h\u00e4'.split('')", "[\"h\",\"\u00e4\"]"},
        {"''.split(',')", "[\"\"]"},
        {"['a', 'b'].join('-') + ['c'].join()", "\"a-bc\""},
        {"[1].join()", "join() takes a list of strings"},
        {"'aaa'.replace('a', 'b')", "\"bbb\""},
        {"'aaa'.replace('a', 'b', 2)", "\"bba\""},
        {"'ab'.replace('', '-')", "\"-a-b-\""},
        {"''.replace('', '-')", "\"-\""},
        {"' \\t a\u00a0'.trim()", "\"a\""},
        {"'aB\u00c4'.lowerAscii() + 'aB\u00e4'.upperAscii()", "\"ab\u00c4AB\u00e4\""},
        {"strings.quote('a\"b\\n')", "\"\\\"a\\\\\\\"b\\\\n\\\"\""},
    });
}

TEST(TextFunctions, TestTexts) {
    expect_all(std::vector<Case>{
        {"'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('bc')", "true"},
        {"'s3://x'.matches('^s3://')", "true"},
        {"matches('abc', 'b+')", "true"},
        {"'a'.matches('(')", "the pattern is wrong: missing ): ("},
    });
}

TEST(TextFunctions, FormatValues) {
    expect_all(std::vector<Case>{
        {"'%s has %d of %.2f%%'.format(['x', 3, 1.005])", "\"x has 3 of 1.00%\""},
        {"'%x %X %o %b'.format([255, 255, 8, 5])", "\"ff FF 10 101\""},
        {"'%s'.format([[1, {'a': null}]])", "\"[1, {a: null}]\""},
        {"'%s'.format([])", "format(): there are too few values"},
        {"'%d'.format(['x'])", "format(): %d does not take string"},
        {"'%q'.format([1])", "format(): unknown clause %q"},
        {"'%.'.format([1])", "format(): a clause is not complete"},
        {"'%.999f'.format([1])", "format(): a clause is not complete"},
    });
}

TEST(Conversions, AreExactOrFail) {
    expect_all(std::vector<Case>{
        {"int('-12') + int(3.9) + int(2u)", "-7"},
        {"int('1.5')", "\"1.5\" is not an integer"},
        {"int('')", "\"\" is not an integer"},
        {"int(1e19)", "the number is out of the range of int"},
        {"int(18446744073709551615u)", "the number is out of the range of int"},
        {"uint(-1)", "the number is out of the range of uint"},
        {"double('2.5') + double(1)", "3.5"},
        {"string(1) + string(1u) + string(2.5) + string(true)", "\"112.5true\""},
        {"string(b'ab')", "\"ab\""},
        {"string(b'\\xff')", "the bytes are not valid UTF-8"},
        {"bool('true') && !bool('0')", "true"},
        {"bool('yes')", "\"yes\" is not a bool"},
        {"bytes('a') + b'b'", "\"YWI=\""},
        {"base64.encode(b'hi') + string(base64.decode('aGk'))", "\"aGk=hi\""},
        {"base64.decode('?')", "the text is not base64"},
        {"dyn(1) == 1", "true"},
    });
}

}  // namespace
}  // namespace belay::expr
